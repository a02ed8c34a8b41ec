//! `select!`: a [`Select`](crate::Select) whose cases have bodies.

/// Waits for the first of several operations, and evaluates the body of its case.
///
/// - `recv(receiver) -> result => body`
/// - `send(sender, message) -> result => body`
/// - `default => body`, at the end: if no operation can be completed at once
/// - `default(timeout) => body`, at the end: if none could be completed for that long
///
/// Each result is that of `recv` or `send`. Bodies may use `?`, `break` and `return`, and the
/// receivers and senders themselves. See [`Select`](crate::Select) for the rules of the choice.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use aqueduct_channel::{bounded, select};
///
/// let (jobs, job) = bounded(10)?;
/// let (results, result) = bounded(10)?;
/// jobs.send(20)?;
/// drop(jobs);
/// loop {
///     select! {
///         recv(job) -> number => match number {
///             Ok(number) => results.send(number + 1)?,
///             Err(_) => break,
///         },
///         default(Duration::from_secs(60)) => unreachable!("there are jobs, or no one sends any"),
///     }
/// }
/// let sent = select! {
///     send(results, 7) -> sent => sent.is_ok(),
///     default => false,
/// };
/// assert!(sent);
/// assert_eq!(result.try_iter().collect::<Vec<_>>(), [21, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! select {
    ($($cases:tt)+) => {
        $crate::__select! { @cases [] [] $($cases)+ }
    };
}

/// The cases of `select!`, one after another.
///
/// The result of the first case is an `Ok`. That of the second case is an `Ok` within an `Err`,
/// that of the third an `Ok` within two, and so on. The macro keeps a list of one `E` for each case
/// before the current one, whose `Ok` has an `Err` around it for each `E`.
#[doc(hidden)]
#[macro_export]
macro_rules! __select {
    (@cases $depth:tt $known:tt recv($receiver:expr) -> $result:pat => $body:expr, $($rest:tt)*) => {
        $crate::__select! { @add $depth $known ($receiver.recv_async()) ($result) ($body) $($rest)* }
    };
    (@cases $depth:tt $known:tt send($sender:expr, $message:expr) -> $result:pat => $body:expr, $($rest:tt)*) => {
        $crate::__select! { @add $depth $known ($sender.send_async($message)) ($result) ($body) $($rest)* }
    };
    // A block needs no comma after it, and the last case none either.
    (@cases $depth:tt $known:tt $operation:ident $arguments:tt -> $result:pat => $body:block $($rest:tt)+) => {
        $crate::__select! { @cases $depth $known $operation $arguments -> $result => { $body }, $($rest)+ }
    };
    (@cases $depth:tt $known:tt $operation:ident $arguments:tt -> $result:pat => $body:expr) => {
        $crate::__select! { @cases $depth $known $operation $arguments -> $result => $body, }
    };
    (@cases $depth:tt [$($known:tt)*]) => {
        $crate::__select! { @wait (wait()) [] $($known)* }
    };
    (@cases $depth:tt [$($known:tt)*] default => $body:expr $(,)?) => {
        $crate::__select! { @wait (try_now()) [$body] $($known)* }
    };
    (@cases $depth:tt [$($known:tt)*] default($timeout:expr) => $body:expr $(,)?) => {
        $crate::__select! { @wait (wait_timeout($timeout)) [$body] $($known)* }
    };
    (@add [$($depth:tt)*] [$($known:tt)*] $operation:tt $result:tt $body:tt $($rest:tt)*) => {
        $crate::__select! { @cases [$($depth)* E] [$($known)* { [$($depth)*] $operation $result $body }] $($rest)* }
    };
    (@wait ($($wait:tt)*) [$($default:expr)?] $({ $depth:tt ($operation:expr) ($result:pat) ($body:expr) })*) => {{
        // Nothing is borrowed any more when the bodies are evaluated.
        let chosen = $crate::Select::new()
            $(.on($operation, |result| $crate::__select!(@wrap $depth result)))*
            .$($wait)*;
        $crate::__select!(@default chosen [$($default)?] { $(($result) ($body))* })
    }};
    (@default $chosen:ident [] $cases:tt) => {
        $crate::__select!(@match $chosen $cases)
    };
    (@default $chosen:ident [$default:expr] $cases:tt) => {
        match $chosen {
            ::core::option::Option::Some(chosen) => $crate::__select!(@match chosen $cases),
            ::core::option::Option::None => $default,
        }
    };
    (@match $chosen:ident {}) => {{
        let never: ::core::convert::Infallible = $chosen;
        match never {}
    }};
    (@match $chosen:ident { ($result:pat) ($body:expr) $($cases:tt)* }) => {
        match $chosen {
            ::core::result::Result::Ok($result) => $body,
            ::core::result::Result::Err(rest) => $crate::__select!(@match rest { $($cases)* }),
        }
    };
    (@wrap [] $result:ident) => {
        ::core::result::Result::Ok($result)
    };
    (@wrap [E $($depth:tt)*] $result:ident) => {
        ::core::result::Result::Err($crate::__select!(@wrap [$($depth)*] $result))
    };
}
