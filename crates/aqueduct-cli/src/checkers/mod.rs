//! The commands of the model checker, if this build has them (feature `checkers`).

#[cfg(not(feature = "checkers"))]
mod absent;
#[cfg(feature = "checkers")]
mod built;

#[cfg(not(feature = "checkers"))]
pub(crate) use absent::{LitmusArgs, ModelArgs, VerifyArgs, ZooArgs};
#[cfg(feature = "checkers")]
pub(crate) use built::{LitmusArgs, VerifyArgs, ZooArgs};

#[cfg(feature = "checkers")]
pub(crate) use crate::bench::model::ModelArgs;
