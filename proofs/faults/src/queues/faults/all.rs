// All faults: a list for each queue. A list passes its faults, behind those of the lists before it,
// to the next one.

include!("bbq.rs");
include!("cnq.rs");
include!("tube.rs");
include!("nblfq.rs");
include!("exact.rs");
include!("unbounded.rs");
include!("bwos.rs");

bbq! { [cnq tube nblfq exact unbounded bwos faults] }
