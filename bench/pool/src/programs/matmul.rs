//! A product of square matrices by their quarters, eight products of quarters in two phases.

use aqueduct_measure::unit::Unit;

use super::Program;
use crate::fork::Pool;

/// The width of a matrix that is not divided.
const LEAF: usize = 32;

/// Matrices whose quarters lie one behind the other, recursively. Leaves lie row by row.
pub(super) struct Matrices {
    a: Vec<f64>,
    b: Vec<f64>,
    /// The expected product.
    product: Vec<f64>,
}

impl Program for Matrices {
    type Scratch = Vec<f64>;

    /// Makes matrices of small whole numbers, whose sums are exact in any order.
    fn new(size: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        let mut matrix = || -> Vec<f64> { (0..size * size).map(|_| f64::from(random.u8(0..8))).collect() };
        let (a, b) = (matrix(), matrix());
        let mut product = vec![0.0; size * size];
        let rows = |matrix: &[f64]| -> Vec<f64> {
            (0..size * size).map(|at| matrix[place(at / size, at % size, size)]).collect()
        };
        let (of_a, of_b) = (rows(&a), rows(&b));
        for row in 0..size {
            for column in 0..size {
                let sum = (0..size).map(|k| of_a[row * size + k] * of_b[k * size + column]).sum();
                product[place(row, column, size)] = sum;
            }
        }
        Self { a, b, product }
    }

    fn scratch(&self) -> Vec<f64> {
        vec![0.0; self.product.len()]
    }

    fn parts(&self) -> (f64, Unit) {
        (1.0, Unit::Us)
    }

    fn reset(&self, product: &mut Vec<f64>) {
        product.fill(0.0);
    }

    fn run<P: Pool>(&self, product: &mut Vec<f64>, context: &mut P::Context<'_>) {
        add_product::<P>(context, product, &self.a, &self.b);
    }

    fn is_right(&self, product: &Vec<f64>) -> bool {
        *product == self.product
    }
}

/// Returns the index of an element of a matrix of this width.
fn place(row: usize, column: usize, width: usize) -> usize {
    if width <= LEAF {
        return row * width + column;
    }
    let half = width / 2;
    let quarter = (row / half) * 2 + column / half;
    quarter * half * half + place(row % half, column % half, half)
}

fn add_product<P: Pool>(context: &mut P::Context<'_>, sum: &mut [f64], a: &[f64], b: &[f64]) {
    if sum.len() <= LEAF * LEAF {
        return add_product_of_leaves(sum, a, b);
    }
    let quarter = sum.len() / 4;
    let part = |at: usize| at * quarter..(at + 1) * quarter;
    for k in [0, 1] {
        let (upper, lower) = sum.split_at_mut(2 * quarter);
        // Each of the row's two quarters in the sum gets the row's k-th of `a` times the k-th row's
        // of `b`.
        let row = |context: &mut P::Context<'_>, sums: &mut [f64], row: usize| {
            let (left, right) = sums.split_at_mut(quarter);
            let a = &a[part(2 * row + k)];
            P::join(
                context,
                |context| add_product::<P>(context, left, a, &b[part(2 * k)]),
                |context| add_product::<P>(context, right, a, &b[part(2 * k + 1)]),
            );
        };
        P::join(context, |context| row(context, upper, 0), |context| row(context, lower, 1));
    }
}

fn add_product_of_leaves(sum: &mut [f64], a: &[f64], b: &[f64]) {
    let width = sum.len().isqrt();
    for (sums, factors) in sum.chunks_exact_mut(width).zip(a.chunks_exact(width)) {
        for (&factor, row) in factors.iter().zip(b.chunks_exact(width)) {
            for (sum, &other) in sums.iter_mut().zip(row) {
                *sum += factor * other;
            }
        }
    }
}
