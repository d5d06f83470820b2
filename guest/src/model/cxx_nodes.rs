//! The nodes of `std::list`, `std::map` and `std::set`, which libstdc++ links, balances and walks in its own code. Here
//! the guest does that, and announces each word that it reads or writes.

use super::{export, real};
use crate::engine::site::of_call;
use crate::hooks::{argument_read, argument_write};
use crate::platform::started;
use inspect_core::event::SiteId;

export! {
    interpose__ZNSt8__detail15_List_node_base7_M_hookEPS0_ / 2 => link_node;
    interpose__ZNSt8__detail15_List_node_base9_M_unhookEv / 1 => unlink_node;
    interpose__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_ / 3 => move_nodes;
    interpose__ZNSt8__detail15_List_node_base10_M_reverseEv / 1 => reverse_list;
    interpose__ZNSt8__detail15_List_node_base4swapERS0_S1_ / 2 => swap_lists;
    interpose__ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base / 1 => next_in_tree;
    interpose__ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base / 1 => next_in_tree;
    interpose__ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base / 1 => previous_in_tree;
    interpose__ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base / 1 => previous_in_tree;
    interpose__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_ / 4 => insert_node;
    interpose__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_ / 2 => erase_node;
}

/// The words of a node of a list.
const NEXT: u64 = 0;
const PREVIOUS: u64 = 8;

/// The words of a node of a tree. The header, which is the end of the tree, has the root as its parent and the first
/// and last node as its children.
const COLOR: u64 = 0;
const PARENT: u64 = 8;
const LEFT: u64 = 16;
const RIGHT: u64 = 24;

const RED: u32 = 0;
const BLACK: u32 = 1;

/// Accesses for a call at this place.
#[derive(Clone, Copy)]
struct Nodes {
    site: SiteId,
}

impl Nodes {
    fn read_word(self, node: u64, word: u64) -> u64 {
        argument_read(node + word, 8, self.site);
        // SAFETY: the program passes nodes, which lead to others; if not, it faults here as it would in the library.
        unsafe { *((node + word) as *const u64) }
    }

    fn write_word(self, node: u64, word: u64, value: u64) {
        argument_write(node + word, 8, self.site);
        // SAFETY: as in `read_word`.
        unsafe { *((node + word) as *mut u64) = value };
    }

    fn color_of(self, node: u64) -> u32 {
        argument_read(node + COLOR, 4, self.site);
        // SAFETY: as in `read_word`.
        unsafe { *((node + COLOR) as *const u32) }
    }

    fn paint(self, node: u64, color: u32) {
        argument_write(node + COLOR, 4, self.site);
        // SAFETY: as in `read_word`.
        unsafe { *((node + COLOR) as *mut u32) = color };
    }

    /// Whether there is a red node: what is absent counts as black.
    fn is_red(self, node: u64) -> bool {
        node != 0 && self.color_of(node) == RED
    }

    /// The last node in this direction.
    fn last_node(self, mut node: u64, side: u64) -> u64 {
        loop {
            match self.read_word(node, side) {
                0 => return node,
                child => node = child,
            }
        }
    }

    /// The neighbour in this direction in the order of the tree.
    fn neighbour(self, node: u64, side: u64) -> u64 {
        let child = self.read_word(node, side);
        if child != 0 {
            return self.last_node(child, opposite(side));
        }
        let (mut node, mut parent) = (node, self.read_word(node, PARENT));
        while self.read_word(parent, side) == node {
            (node, parent) = (parent, self.read_word(parent, PARENT));
        }
        // From the last node, when it is the root, the way up ends at the header, whose child it is.
        if side == RIGHT && self.read_word(node, RIGHT) == parent { node } else { parent }
    }

    /// Lets `other` take the place of `node` below the parent of that.
    fn replace_child(self, node: u64, other: u64, header: u64) {
        let parent = self.read_word(node, PARENT);
        if self.read_word(header, PARENT) == node {
            self.write_word(header, PARENT, other);
        } else if self.read_word(parent, LEFT) == node {
            self.write_word(parent, LEFT, other);
        } else {
            self.write_word(parent, RIGHT, other);
        }
    }

    /// Rotates a node down to this side.
    fn rotate_down(self, node: u64, side: u64, header: u64) {
        let child = self.read_word(node, opposite(side));
        let inner = self.read_word(child, side);
        self.write_word(node, opposite(side), inner);
        if inner != 0 {
            self.write_word(inner, PARENT, node);
        }
        self.write_word(child, PARENT, self.read_word(node, PARENT));
        self.replace_child(node, child, header);
        self.write_word(child, side, node);
        self.write_word(node, PARENT, child);
    }

    /// The side on which a node is below its parent.
    fn side_of(self, node: u64, parent: u64) -> u64 {
        if self.read_word(parent, LEFT) == node { LEFT } else { RIGHT }
    }

    /// Makes a tree with a new red node a red-black tree.
    fn balance_after_insertion(self, mut node: u64, header: u64) {
        while self.read_word(header, PARENT) != node && self.is_red(self.read_word(node, PARENT)) {
            let parent = self.read_word(node, PARENT);
            let grandparent = self.read_word(parent, PARENT);
            let side = self.side_of(parent, grandparent);
            let uncle = self.read_word(grandparent, opposite(side));
            self.paint(grandparent, RED);
            if self.is_red(uncle) {
                self.paint(parent, BLACK);
                self.paint(uncle, BLACK);
                node = grandparent;
                continue;
            }
            if self.read_word(parent, opposite(side)) == node {
                self.rotate_down(parent, side, header);
                node = parent;
            }
            self.paint(self.read_word(node, PARENT), BLACK);
            self.rotate_down(grandparent, opposite(side), header);
        }
        self.paint(self.read_word(header, PARENT), BLACK);
    }

    /// Makes a tree in which a black node is missing above `node`, which may be absent, a red-black tree.
    fn balance_after_erasure(self, mut node: u64, mut parent: u64, header: u64) {
        while self.read_word(header, PARENT) != node && !self.is_red(node) {
            let side = self.side_of(node, parent);
            let far = opposite(side);
            let mut sibling = self.read_word(parent, far);
            if self.is_red(sibling) {
                self.paint(sibling, BLACK);
                self.paint(parent, RED);
                self.rotate_down(parent, side, header);
                sibling = self.read_word(parent, far);
            }
            if !self.is_red(self.read_word(sibling, LEFT)) && !self.is_red(self.read_word(sibling, RIGHT)) {
                self.paint(sibling, RED);
                (node, parent) = (parent, self.read_word(parent, PARENT));
                continue;
            }
            if !self.is_red(self.read_word(sibling, far)) {
                self.paint(self.read_word(sibling, side), BLACK);
                self.paint(sibling, RED);
                self.rotate_down(sibling, far, header);
                sibling = self.read_word(parent, far);
            }
            self.paint(sibling, self.color_of(parent));
            self.paint(parent, BLACK);
            self.paint(self.read_word(sibling, far), BLACK);
            self.rotate_down(parent, side, header);
            break;
        }
        if node != 0 {
            self.paint(node, BLACK);
        }
    }

    /// Takes a node with two children out; its successor takes its place and colour. Gives the child that took the
    /// place of the successor, if there is one, and the parent of that place.
    fn take_inner(self, node: u64, header: u64) -> (u64, u64) {
        let right = self.read_word(node, RIGHT);
        let successor = self.last_node(right, LEFT);
        let child = self.read_word(successor, RIGHT);
        let left = self.read_word(node, LEFT);
        self.write_word(left, PARENT, successor);
        self.write_word(successor, LEFT, left);
        let mut parent = successor;
        if successor != right {
            parent = self.read_word(successor, PARENT);
            if child != 0 {
                self.write_word(child, PARENT, parent);
            }
            self.write_word(parent, LEFT, child);
            self.write_word(successor, RIGHT, right);
            self.write_word(right, PARENT, successor);
        }
        self.replace_child(node, successor, header);
        self.write_word(successor, PARENT, self.read_word(node, PARENT));
        let color = self.color_of(successor);
        self.paint(successor, self.color_of(node));
        self.paint(node, color);
        (child, parent)
    }

    /// Takes a node with one child at most out; gives that, and the parent of its place.
    fn take_outer(self, node: u64, header: u64) -> (u64, u64) {
        let left = self.read_word(node, LEFT);
        let child = if left == 0 { self.read_word(node, RIGHT) } else { left };
        let parent = self.read_word(node, PARENT);
        if child != 0 {
            self.write_word(child, PARENT, parent);
        }
        self.replace_child(node, child, header);
        for side in [LEFT, RIGHT] {
            if self.read_word(header, side) == node {
                let end = if child == 0 { parent } else { self.last_node(child, side) };
                self.write_word(header, side, end);
            }
        }
        (child, parent)
    }
}

const fn opposite(side: u64) -> u64 {
    LEFT + RIGHT - side
}

/// `_List_node_base::_M_hook`: puts a node before another one.
extern "C" fn link_node(node: u64, position: u64, pc: u64) {
    if !started() {
        return real!("_ZNSt8__detail15_List_node_base7_M_hookEPS0_" as fn(u64, u64))(node, position);
    }
    let nodes = Nodes { site: of_call(pc) };
    let previous = nodes.read_word(position, PREVIOUS);
    nodes.write_word(node, NEXT, position);
    nodes.write_word(node, PREVIOUS, previous);
    nodes.write_word(previous, NEXT, node);
    nodes.write_word(position, PREVIOUS, node);
}

/// `_List_node_base::_M_unhook`.
extern "C" fn unlink_node(node: u64, pc: u64) {
    if !started() {
        return real!("_ZNSt8__detail15_List_node_base9_M_unhookEv" as fn(u64))(node);
    }
    let nodes = Nodes { site: of_call(pc) };
    let (next, previous) = (nodes.read_word(node, NEXT), nodes.read_word(node, PREVIOUS));
    nodes.write_word(previous, NEXT, next);
    nodes.write_word(next, PREVIOUS, previous);
}

/// `_List_node_base::_M_transfer`: moves the nodes from `first` to the one before `end` before another one.
extern "C" fn move_nodes(position: u64, first: u64, end: u64, pc: u64) {
    if !started() {
        let function = real!("_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_" as fn(u64, u64, u64));
        return function(position, first, end);
    }
    if position == end {
        return;
    }
    let nodes = Nodes { site: of_call(pc) };
    let [last, before, previous] = [end, first, position].map(|node| nodes.read_word(node, PREVIOUS));
    nodes.write_word(before, NEXT, end);
    nodes.write_word(end, PREVIOUS, before);
    // The place may have been behind the nodes.
    let previous = if previous == last { before } else { previous };
    nodes.write_word(previous, NEXT, first);
    nodes.write_word(first, PREVIOUS, previous);
    nodes.write_word(last, NEXT, position);
    nodes.write_word(position, PREVIOUS, last);
}

/// `_List_node_base::_M_reverse`.
extern "C" fn reverse_list(end: u64, pc: u64) {
    if !started() {
        return real!("_ZNSt8__detail15_List_node_base10_M_reverseEv" as fn(u64))(end);
    }
    let nodes = Nodes { site: of_call(pc) };
    let mut node = end;
    loop {
        let (next, previous) = (nodes.read_word(node, NEXT), nodes.read_word(node, PREVIOUS));
        nodes.write_word(node, NEXT, previous);
        nodes.write_word(node, PREVIOUS, next);
        node = next;
        if node == end {
            return;
        }
    }
}

/// `_List_node_base::swap`: swaps two lists, given their ends.
extern "C" fn swap_lists(one: u64, other: u64, pc: u64) {
    if !started() {
        return real!("_ZNSt8__detail15_List_node_base4swapERS0_S1_" as fn(u64, u64))(one, other);
    }
    let nodes = Nodes { site: of_call(pc) };
    let ends = |list| (nodes.read_word(list, NEXT), nodes.read_word(list, PREVIOUS));
    let (ones, others) = (ends(one), ends(other));
    for (list, (first, last), before) in [(one, others, other), (other, ones, one)] {
        // An empty list leads to its own end.
        let [first, last] = if first == before { [list; 2] } else { [first, last] };
        nodes.write_word(list, NEXT, first);
        nodes.write_word(list, PREVIOUS, last);
        nodes.write_word(first, PREVIOUS, list);
        nodes.write_word(last, NEXT, list);
    }
}

/// `std::_Rb_tree_increment`.
extern "C" fn next_in_tree(node: u64, pc: u64) -> u64 {
    if !started() {
        return real!("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base" as fn(u64) -> u64)(node);
    }
    Nodes { site: of_call(pc) }.neighbour(node, RIGHT)
}

/// `std::_Rb_tree_decrement`: before the end, which is the header, comes the last node.
extern "C" fn previous_in_tree(node: u64, pc: u64) -> u64 {
    if !started() {
        return real!("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base" as fn(u64) -> u64)(node);
    }
    let nodes = Nodes { site: of_call(pc) };
    // Only the header and the root are each other's parents, and the root is black.
    let is_end = nodes.color_of(node) == RED && nodes.read_word(nodes.read_word(node, PARENT), PARENT) == node;
    if is_end { nodes.read_word(node, RIGHT) } else { nodes.neighbour(node, LEFT) }
}

/// `std::_Rb_tree_insert_and_rebalance`: puts a node below another one.
extern "C" fn insert_node(is_left: u64, node: u64, parent: u64, header: u64, pc: u64) {
    if !started() {
        let function =
            real!("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_" as fn(u64, u64, u64, u64));
        return function(is_left, node, parent, header);
    }
    let nodes = Nodes { site: of_call(pc) };
    let side = if is_left & 1 != 0 { LEFT } else { RIGHT };
    nodes.write_word(node, PARENT, parent);
    nodes.write_word(node, LEFT, 0);
    nodes.write_word(node, RIGHT, 0);
    nodes.paint(node, RED);
    if parent == header {
        [PARENT, LEFT, RIGHT].iter().for_each(|&word| nodes.write_word(header, word, node));
    } else {
        nodes.write_word(parent, side, node);
        if nodes.read_word(header, side) == parent {
            nodes.write_word(header, side, node);
        }
    }
    nodes.balance_after_insertion(node, header);
}

/// `std::_Rb_tree_rebalance_for_erase`: takes a node out, and returns it.
extern "C" fn erase_node(node: u64, header: u64, pc: u64) -> u64 {
    if !started() {
        let function = real!("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_" as fn(u64, u64) -> u64);
        return function(node, header);
    }
    let nodes = Nodes { site: of_call(pc) };
    let is_inner = nodes.read_word(node, LEFT) != 0 && nodes.read_word(node, RIGHT) != 0;
    let (child, parent) = if is_inner { nodes.take_inner(node, header) } else { nodes.take_outer(node, header) };
    if nodes.color_of(node) == BLACK {
        nodes.balance_after_erasure(child, parent, header);
    }
    node
}
