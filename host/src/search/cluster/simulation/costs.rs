//! What things cost in virtual time.

use serde::Deserialize;
use std::time::Duration;

/// The contents of `costs.toml`.
#[derive(Clone, Deserialize)]
pub(super) struct Costs {
    pub(super) guest: GuestCosts,
    pub(super) balancer: BalancerCosts,
    pub(super) network: NetworkCosts,
}

#[derive(Clone, Deserialize)]
pub(super) struct GuestCosts {
    pub(super) start_ms: f64,
    pub(super) commit_us: f64,
    pub(super) commit_item_us: f64,
}

#[derive(Clone, Deserialize)]
pub(super) struct BalancerCosts {
    pub(super) oversleep_us: f64,
    pub(super) node_us: f64,
    pub(super) node_guest_us: f64,
    pub(super) start_us: f64,
    pub(super) leader_us: f64,
    pub(super) leader_rank_us: f64,
    pub(super) message_us: f64,
    pub(super) item_us: f64,
}

#[derive(Clone, Deserialize)]
pub(super) struct NetworkCosts {
    pub(super) latency_us: f64,
    pub(super) megabytes_per_second: f64,
}

impl Costs {
    /// Those that were measured.
    pub(super) fn measured() -> Costs {
        toml::from_str(include_str!("costs.toml")).expect("the costs can be read")
    }

    /// Nothing takes time but executions.
    pub(super) fn none() -> Costs {
        Costs {
            guest: GuestCosts { start_ms: 0.0, commit_us: 0.0, commit_item_us: 0.0 },
            balancer: BalancerCosts {
                oversleep_us: 0.0,
                node_us: 0.0,
                node_guest_us: 0.0,
                start_us: 0.0,
                leader_us: 0.0,
                leader_rank_us: 0.0,
                message_us: 0.0,
                item_us: 0.0,
            },
            network: NetworkCosts { latency_us: 0.0, megabytes_per_second: f64::INFINITY },
        }
    }
}

/// So many microseconds.
pub(super) fn micros(count: f64) -> Duration {
    Duration::from_secs_f64(count * 1e-6)
}
