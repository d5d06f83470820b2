//! State of the C library that no argument of a call points to.

/// State inside of the C library that several threads share although the program has no pointer to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Hidden {
    /// The table of thread-specific keys.
    Keys,
    /// Where `strtok` keeps its place.
    Strtok,
    /// The result of `localtime` and `gmtime`.
    BrokenDownTime,
    /// The result of `asctime` and `ctime`.
    TimeText,
    /// The state of `rand` and `random`, which the C library has one of.
    Random,
    /// The state of `drand48` and its family.
    Rand48,
    /// The environment variables.
    Environment,
    /// The state of `getopt`.
    Getopt,
    /// The current locale.
    Locale,
    /// The result of `l64a`.
    Base64Text,
    /// The result of `ecvt` and `fcvt`.
    DecimalText,
    /// The result of lookups of users, and the place in their list.
    Users,
    /// The result of lookups of groups, and the place in their list.
    Groups,
    /// The result of lookups of hosts.
    Hosts,
    /// The result of `getlogin`.
    LoginName,
    /// The result of `ttyname`.
    TerminalName,
    /// The result of `ctermid`.
    ControllingTerminal,
    /// The result of `tmpnam`.
    TemporaryName,
    /// The result of `localeconv`.
    Conventions,
    /// The table of `hsearch`.
    HashTable,
    /// What is read from standard input.
    StandardInput,
    /// The resource limits of the process.
    Limits,
    /// What `mbrtowc` and its family keep between calls without a state of the program's own.
    ShiftState,
    /// The list of functions to be called at the end of the process.
    ExitHandlers,
    /// What `pthread_setconcurrency` was given.
    Concurrency,
    /// The table of converters between character sets.
    Converters,
    /// What lookups of addresses keep of the system's configuration.
    NameServices,
    /// The list of functions to be called by `quick_exit`.
    QuickExitHandlers,
    /// The result of lookups of services, and the place in their list.
    Services,
    /// The result of lookups of protocols, and the place in their list.
    Protocols,
}

impl Hidden {
    /// All of them, in their order.
    pub const ALL: [Hidden; 30] = [
        Hidden::Keys,
        Hidden::Strtok,
        Hidden::BrokenDownTime,
        Hidden::TimeText,
        Hidden::Random,
        Hidden::Rand48,
        Hidden::Environment,
        Hidden::Getopt,
        Hidden::Locale,
        Hidden::Base64Text,
        Hidden::DecimalText,
        Hidden::Users,
        Hidden::Groups,
        Hidden::Hosts,
        Hidden::LoginName,
        Hidden::TerminalName,
        Hidden::ControllingTerminal,
        Hidden::TemporaryName,
        Hidden::Conventions,
        Hidden::HashTable,
        Hidden::StandardInput,
        Hidden::Limits,
        Hidden::ShiftState,
        Hidden::ExitHandlers,
        Hidden::Concurrency,
        Hidden::Converters,
        Hidden::NameServices,
        Hidden::QuickExitHandlers,
        Hidden::Services,
        Hidden::Protocols,
    ];

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Hidden::Keys => "the table of thread-specific keys",
            Hidden::Strtok => "the place that strtok keeps",
            Hidden::BrokenDownTime => "the result of localtime and gmtime",
            Hidden::TimeText => "the result of asctime and ctime",
            Hidden::Random => "the state of rand and random",
            Hidden::Rand48 => "the state of drand48",
            Hidden::Environment => "the environment",
            Hidden::Locale => "the locale",
            Hidden::Getopt => "the state of getopt",
            Hidden::Base64Text => "the result of l64a",
            Hidden::DecimalText => "the result of ecvt and fcvt",
            Hidden::Users => "the list of users and the result of looking one up",
            Hidden::Groups => "the list of groups and the result of looking one up",
            Hidden::Hosts => "the result of looking up a host",
            Hidden::LoginName => "the result of getlogin",
            Hidden::TerminalName => "the result of ttyname",
            Hidden::ControllingTerminal => "the result of ctermid",
            Hidden::TemporaryName => "the result of tmpnam",
            Hidden::Conventions => "the result of localeconv",
            Hidden::HashTable => "the table of hsearch",
            Hidden::StandardInput => "standard input",
            Hidden::Limits => "the resource limits",
            Hidden::ShiftState => "the shift state of the C library",
            Hidden::ExitHandlers => "the list of exit handlers",
            Hidden::Concurrency => "the level of concurrency",
            Hidden::Converters => "the table of converters",
            Hidden::NameServices => "the configuration of name services",
            Hidden::QuickExitHandlers => "the list of functions for quick_exit",
            Hidden::Services => "the list of services and the result of looking one up",
            Hidden::Protocols => "the list of protocols and the result of looking one up",
        }
    }
}
