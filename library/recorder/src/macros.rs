//! The macros. Each call has a static [`Site`](crate::Site), so that a record holds only the site's
//! number.

/// Records an event: a name, and up to eight values with their names.
///
/// Values are numbers, `bool`s and texts. Names are written once, at the place's first record. A
/// [`Level`](crate::Level) and a target can precede the name; a [`Filter`](crate::Filter) selects
/// by them. The default target is the module.
///
/// # Examples
/// ```
/// use aqueduct_recorder::event;
///
/// let peer = String::from("10.0.0.7");
/// event!("request", peer, bytes = 1500_u32, is_first = true);
/// event!(level: Warn, "slow request", millis = 1700);
/// event!(level: Debug, target: "net::tcp", "accepted");
/// ```
#[macro_export]
macro_rules! event {
    (level: $level:ident, target: $target:expr, $($rest:tt)+) => {
        $crate::__event!((::core::option::Option::Some($crate::Level::$level)) ($target) $($rest)+)
    };
    (level: $level:ident, $($rest:tt)+) => {
        $crate::__event!((::core::option::Option::Some($crate::Level::$level)) (::core::module_path!()) $($rest)+)
    };
    (target: $target:expr, $($rest:tt)+) => {
        $crate::__event!((::core::option::Option::None) ($target) $($rest)+)
    };
    ($name:expr $(, $key:ident $(= $value:expr)?)* $(,)?) => {
        $crate::__event!((::core::option::Option::None) (::core::module_path!()) $name $(, $key $(= $value)?)*)
    };
}

/// Records the start of a span, and its end when the returned [`Span`](crate::Span) is dropped.
///
/// A level and a target can precede the name, as in [`event!`](crate::event).
///
/// # Examples
/// ```
/// use aqueduct_recorder::span;
///
/// fn answer(request: u64) {
///     let _span = span!("answer", request);
///     // What the span measures.
///     let _parse = span!(level: Trace, "parse");
/// }
/// answer(7);
/// ```
#[macro_export]
macro_rules! span {
    (level: $level:ident, target: $target:expr, $($rest:tt)+) => {
        $crate::__span!((::core::option::Option::Some($crate::Level::$level)) ($target) $($rest)+)
    };
    (level: $level:ident, $($rest:tt)+) => {
        $crate::__span!((::core::option::Option::Some($crate::Level::$level)) (::core::module_path!()) $($rest)+)
    };
    (target: $target:expr, $($rest:tt)+) => {
        $crate::__span!((::core::option::Option::None) ($target) $($rest)+)
    };
    ($name:expr $(, $key:ident $(= $value:expr)?)* $(,)?) => {
        $crate::__span!((::core::option::Option::None) (::core::module_path!()) $name $(, $key $(= $value)?)*)
    };
}

/// Records the present value of a counter.
///
/// # Examples
/// ```
/// aqueduct_recorder::counter!("queue length", 17);
/// ```
#[macro_export]
macro_rules! counter {
    ($name:expr, $value:expr) => {{
        static SITE: $crate::Site =
        $crate::__site!(Counter, (::core::option::Option::None) (::core::module_path!()) $name, value);
        $crate::record(&SITE, (&$value,));
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __event {
    (($level:expr) ($target:expr) $name:expr $(, $key:ident $(= $value:expr)?)* $(,)?) => {{
        static SITE: $crate::Site = $crate::__site!(Event, ($level) ($target) $name $(, $key)*);
        $crate::record(&SITE, ($(&$crate::__value!($key $(= $value)?),)*));
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __span {
    (($level:expr) ($target:expr) $name:expr $(, $key:ident $(= $value:expr)?)* $(,)?) => {{
        static SITE: $crate::Site = $crate::__site!(Span, ($level) ($target) $name $(, $key)*);
        $crate::Span::begin(&SITE, ($(&$crate::__value!($key $(= $value)?),)*))
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    ($kind:ident, ($level:expr) ($target:expr) $name:expr $(, $key:ident)*) => {
        $crate::Site::new(
            $crate::Kind::$kind,
            $name,
            $target,
            ::core::file!(),
            ::core::line!(),
            &[$(::core::stringify!($key)),*],
        )
        .with_level($level)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __value {
    ($key:ident = $value:expr) => {
        $value
    };
    ($key:ident) => {
        $key
    };
}
