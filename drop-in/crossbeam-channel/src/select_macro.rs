//! `select!` and `select_biased!`.

/// Waits for the first of several operations, and evaluates the body of its case.
///
/// - `recv(receiver) -> result => body`
/// - `send(sender, message) -> result => body`; the message is evaluated when the case has been
///   chosen
/// - `default => body`: if no operation is possible at once
/// - `default(timeout) => body`: if no operation became possible in time
#[macro_export]
macro_rules! select {
    ($($cases:tt)*) => {
        $crate::__select! { @parse new [] [] $($cases)* }
    };
}

/// Chooses like [`select!`], but takes the first case of several whose operations are possible.
#[macro_export]
macro_rules! select_biased {
    ($($cases:tt)*) => {
        $crate::__select! { @parse new_biased [] [] $($cases)* }
    };
}

/// The internal macro of crossbeam-channel's `select!`, which its tests use directly.
#[doc(hidden)]
#[macro_export]
macro_rules! crossbeam_channel_internal {
    ($($cases:tt)*) => {
        $crate::select! { $($cases)* }
    };
}

/// Parses case after case, binds their handles, and chooses.
///
/// A case is `{ recv (handle) () (result) (body) }` or
/// `{ send (handle) (message) (result) (body) }`.
#[doc(hidden)]
#[macro_export]
macro_rules! __select {
    // Cases that end in a block need no comma, and neither does the last one.
    (@parse $new:ident $known:tt $default:tt $kind:ident $args:tt $(-> $result:pat)? => $body:block, $($rest:tt)*) => {
        $crate::__select! { @case $new $known $default { $kind $args ($($result)?) ($body) } $($rest)* }
    };
    (@parse $new:ident $known:tt $default:tt $kind:ident $args:tt $(-> $result:pat)? => $body:block $($rest:tt)*) => {
        $crate::__select! { @case $new $known $default { $kind $args ($($result)?) ($body) } $($rest)* }
    };
    (@parse $new:ident $known:tt $default:tt $kind:ident $args:tt $(-> $result:pat)? => $body:expr, $($rest:tt)*) => {
        $crate::__select! { @case $new $known $default { $kind $args ($($result)?) ($body) } $($rest)* }
    };
    (@parse $new:ident $known:tt $default:tt $kind:ident $args:tt $(-> $result:pat)? => $body:expr) => {
        $crate::__select! { @case $new $known $default { $kind $args ($($result)?) ($body) } }
    };
    (@parse $new:ident $known:tt $default:tt default => $($rest:tt)*) => {
        $crate::__select! { @parse $new $known $default default() => $($rest)* }
    };
    (@parse $new:ident $known:tt $default:tt) => {
        $crate::__select! { @bind $new [] $known $default }
    };
    (@parse $new:ident $known:tt $default:tt $($rest:tt)*) => {
        compile_error!(concat!("no case of `select!`: `", stringify!($($rest)*), "`"))
    };

    (@case $new:ident [$($known:tt)*] $default:tt
        { recv ($receiver:expr $(,)?) ($result:pat) $body:tt } $($rest:tt)*) => {
        $crate::__select! { @parse $new [$($known)* { recv ($receiver) () ($result) $body }] $default $($rest)* }
    };
    (@case $new:ident [$($known:tt)*] $default:tt
        { send ($sender:expr, $message:expr $(,)?) ($result:pat) $body:tt } $($rest:tt)*) => {
        $crate::__select! { @parse $new [$($known)* { send ($sender) ($message) ($result) $body }] $default $($rest)* }
    };
    (@case $new:ident $known:tt [] { default () () $body:tt } $($rest:tt)*) => {
        $crate::__select! { @parse $new $known [(try_select()) $body] $($rest)* }
    };
    (@case $new:ident $known:tt [] { default ($timeout:expr $(,)?) () $body:tt } $($rest:tt)*) => {
        $crate::__select! { @parse $new $known [(select_timeout($timeout)) $body] $($rest)* }
    };
    (@case $new:ident $known:tt $default:tt $case:tt $($rest:tt)*) => {
        compile_error!(concat!("no case of `select!`: `", stringify!($case), "`"))
    };

    // Temporaries of a handle live as long as the whole expression.
    (@bind $new:ident [$($bound:tt)*]
        [{ recv ($receiver:expr) $message:tt $result:tt $body:tt } $($rest:tt)*] $default:tt) => {
        match $receiver {
            ref receiver => {
                let receiver: &$crate::Receiver<_> = receiver;
                $crate::__select! {
                    @bind $new [$($bound)* { recv (receiver) $message $result $body }] [$($rest)*] $default
                }
            }
        }
    };
    (@bind $new:ident [$($bound:tt)*]
        [{ send ($sender:expr) $message:tt $result:tt $body:tt } $($rest:tt)*] $default:tt) => {
        match $sender {
            ref sender => {
                let sender: &$crate::Sender<_> = sender;
                $crate::__select! {
                    @bind $new [$($bound)* { send (sender) $message $result $body }] [$($rest)*] $default
                }
            }
        }
    };
    (@bind $new:ident [$({ $kind:ident ($handle:ident) $message:tt $result:tt $body:tt })*] [] []) => {{
        let chosen = {
            #[allow(unused_mut)]
            let mut select = $crate::Select::$new();
            $(select.$kind($handle);)*
            select.select()
        };
        $crate::__select! { @complete chosen (0) $({ $kind ($handle) $message $result $body })* }
    }};
    (@bind $new:ident [$({ $kind:ident ($handle:ident) $message:tt $result:tt $body:tt })*] []
        [($($wait:tt)*) ($default:expr)]) => {{
        let chosen = {
            #[allow(unused_mut)]
            let mut select = $crate::Select::$new();
            $(select.$kind($handle);)*
            select.$($wait)*
        };
        match chosen {
            ::std::result::Result::Ok(chosen) => {
                $crate::__select! { @complete chosen (0) $({ $kind ($handle) $message $result $body })* }
            }
            ::std::result::Result::Err(_) => $default,
        }
    }};

    (@complete $chosen:ident ($index:expr) { recv ($receiver:ident) () ($result:pat) ($body:expr) } $($rest:tt)*) => {
        if $chosen.index() == $index {
            let $result = $chosen.recv($receiver);
            $body
        } else {
            $crate::__select! { @complete $chosen ($index + 1) $($rest)* }
        }
    };
    (@complete $chosen:ident ($index:expr)
        { send ($sender:ident) ($message:expr) ($result:pat) ($body:expr) } $($rest:tt)*) => {
        if $chosen.index() == $index {
            let $result = $chosen.send($sender, $message);
            $body
        } else {
            $crate::__select! { @complete $chosen ($index + 1) $($rest)* }
        }
    };
    (@complete $chosen:ident $index:tt) => {
        ::std::unreachable!("case {}", $chosen.index())
    };
}
