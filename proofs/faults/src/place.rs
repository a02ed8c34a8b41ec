/// A place in a library's source, and the fault at that place.
///
/// `file` is below the library's `src`. `right` stands there exactly once; `wrong` takes its place.
#[allow(dead_code, reason = "read by the build script")]
pub(crate) struct Place {
    pub(crate) file: &'static str,
    pub(crate) right: &'static str,
    pub(crate) wrong: &'static str,
}

macro_rules! faults {
    // A list's faults behind those of other lists, of which none is left.
    ([] $($fault:tt)*) => { faults! { $($fault)* } };
    ($($(#[$doc:meta])* $name:ident in $file:literal: $right:literal => $wrong:literal;)*) => {
        /// The faults.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Fault {
            $($(#[$doc])* $name),*
        }

        impl Fault {
            /// All faults.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }

        /// The places of the faults. In `wrong`, `FAULT` stands for "the fault is switched on".
        #[allow(dead_code, reason = "read by the build script")]
        pub(crate) const PLACES: &[(Fault, $crate::Place)] =
            &[$((Fault::$name, $crate::Place { file: $file, right: $right, wrong: $wrong })),*];
    };
}
