//! The commands of the model checker, if this build has them (feature `checkers`).

#[cfg(feature = "checkers")]
mod built;

#[cfg(not(feature = "checkers"))]
crate::absent::absent! {
    "checkers", "this build has no model checker":
    LitmusArgs = "litmus";
    VerifyArgs = "verify";
    ZooArgs = "zoo";
}
#[cfg(feature = "checkers")]
pub(crate) use built::{LitmusArgs, VerifyArgs, ZooArgs};
