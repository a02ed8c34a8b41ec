//! Items whose bytes all follow from a number, so that a torn or misplaced one is noticed.

use std::fmt::Debug;

pub(crate) trait Patterned: Copy + Send + PartialEq + Debug + 'static {
    fn of(number: usize) -> Self;
}

impl<const N: usize> Patterned for [u8; N] {
    fn of(number: usize) -> Self {
        std::array::from_fn(|i| (number.wrapping_mul(31).wrapping_add(7 * i) % 251) as u8)
    }
}

impl<const N: usize> Patterned for [u64; N] {
    fn of(number: usize) -> Self {
        std::array::from_fn(|i| (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(9 * i as u32))
    }
}

pub(crate) mod aligned {
    use super::Patterned;

    macro_rules! aligned {
        ($($name:ident: $align:literal),*) => { $(
            #[derive(Clone, Copy, Debug, PartialEq)]
            #[repr(align($align))]
            pub(crate) struct $name<const N: usize>([u8; N]);

            impl<const N: usize> Patterned for $name<N> {
                fn of(number: usize) -> Self {
                    Self(Patterned::of(number))
                }
            }
        )* };
    }
    aligned!(To2: 2, To16: 16, To32: 32, To64: 64, To128: 128, To256: 256, To4096: 4096);
}
