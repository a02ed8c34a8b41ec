//! Items that can be told apart, and items whose drops are counted.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An item that carries a number; numbers start at 1.
pub(crate) trait Number: Send + 'static {
    fn of(number: u64) -> Self;
    fn number(&self) -> u64;
}

/// A whole word.
impl Number for NonZeroUsize {
    fn of(number: u64) -> Self {
        usize::try_from(number).ok().and_then(Self::new).expect("numbers start at 1, and fit a word")
    }

    fn number(&self) -> u64 {
        self.get() as u64
    }
}

impl Number for NonZeroU32 {
    fn of(number: u64) -> Self {
        Self::new(number as u32).expect("numbers start at 1")
    }

    fn number(&self) -> u64 {
        self.get().into()
    }
}

impl Number for Box<u64> {
    fn of(number: u64) -> Self {
        Self::new(number)
    }

    fn number(&self) -> u64 {
        **self
    }
}

/// Counts the drops of tokens.
pub(crate) struct Ledger(Vec<AtomicUsize>);

impl Ledger {
    /// Makes a ledger for tokens 0 to `tokens - 1`.
    pub(crate) fn new(tokens: usize) -> Arc<Self> {
        Arc::new(Self((0..tokens).map(|_| AtomicUsize::new(0)).collect()))
    }

    /// Makes token number `number`.
    pub(crate) fn token(self: &Arc<Self>, number: usize) -> Token {
        Token { number, panics: false, ledger: self.clone() }
    }

    /// Makes token number `number`, whose drop counts and then panics.
    pub(crate) fn bomb(self: &Arc<Self>, number: usize) -> Token {
        Token { number, panics: true, ledger: self.clone() }
    }

    pub(crate) fn drops(&self, number: usize) -> usize {
        self.0[number].load(Ordering::SeqCst)
    }

    /// Returns how many of the tokens have been dropped, each at most once.
    pub(crate) fn dropped(&self) -> usize {
        self.0.iter().enumerate().map(|(number, _)| self.at_most_once(number)).sum()
    }

    fn at_most_once(&self, number: usize) -> usize {
        let drops = self.drops(number);
        assert!(drops <= 1, "token {number} was dropped {drops} times");
        drops
    }

    /// Asserts that all tokens have been dropped exactly once.
    pub(crate) fn assert_all_dropped_once(&self) {
        for number in 0..self.0.len() {
            assert_eq!(self.drops(number), 1, "drops of token {number} of {}", self.0.len());
        }
    }
}

/// An item whose drop is written into a ledger.
pub(crate) struct Token {
    pub(crate) number: usize,
    panics: bool,
    ledger: Arc<Ledger>,
}

impl Drop for Token {
    fn drop(&mut self) {
        self.ledger.0[self.number].fetch_add(1, Ordering::SeqCst);
        if self.panics {
            panic!("token {} panics in its drop, as the test wants", self.number);
        }
    }
}

/// An item that holds a token: itself, or in a box for the queues that carry words.
pub(crate) trait Tracked: Send + 'static {
    fn hold(token: Token) -> Self;
    fn number(&self) -> usize;
}

impl Tracked for Token {
    fn hold(token: Token) -> Self {
        token
    }

    fn number(&self) -> usize {
        self.number
    }
}

impl Tracked for Box<Token> {
    fn hold(token: Token) -> Self {
        Self::new(token)
    }

    fn number(&self) -> usize {
        self.number
    }
}
