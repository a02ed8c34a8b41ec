//! A server of the crate `hyper`, with an event for each request and without events.
//!
//! One thread answers, and another one runs the clients: each connection sends its next request
//! after the answer.

use std::cell::Cell as Count;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_measure::machine;
use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::{Cell, Fault, Figure, Measured};
use aqueduct_measure::unit::Unit;
use aqueduct_recorder::event;
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::body::Bytes;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{LocalSet, spawn_local};
use tracing::info;

use crate::kinds::Kind;
use crate::kinds::ours::{Layer, Recorder};
use crate::kinds::tracing::{Appender, FlightRecorder};
use crate::plan::Plan;
use crate::threads::{place, placement};
use crate::vswitch::WITHOUT;

/// The time of a request, and the answering thread's processor time for it.
const BENCHES: [&str; 2] = ["recorder.hyper", "recorder.hyper.processor"];
/// Connections of the clients.
const CONNECTIONS: usize = 16;
/// Microseconds of the first run: an operation of these cells is a microsecond of answering.
const FIRST: u64 = 20_000;

/// Records the request of this number.
type Record = fn(u64);

/// The results of a server.
struct Served {
    answered: u64,
    elapsed: Duration,
    /// The processor time of the answering thread, if it is known.
    processor: Option<Duration>,
}

/// Adds servers with and without events.
pub(crate) fn add(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize]) {
    add_kind::<Recorder>(cells, plan, cores, |number| event!("request", number));
    add_kind::<Layer>(cells, plan, cores, |number| info!(number, "request"));
    add_kind::<FlightRecorder>(cells, plan, cores, |number| info!(number, "request"));
    add_kind::<Appender>(cells, plan, cores, |number| info!(number, "request"));
    add_cell(cells, WITHOUT, Role::Bound, cores, |micros, cores| serve(micros, cores, || (), |_| ()));
}

fn add_kind<K: Kind>(cells: &mut Vec<Cell<'static>>, plan: &Plan, cores: &[usize], record: Record) {
    if K::ROLE != Role::Peer || plan.peers {
        add_cell(cells, K::NAME, K::ROLE, cores, move |micros, cores| with_events::<K>(micros, cores, record));
    }
}

/// Answers for `micros` microseconds, with an event for each request.
fn with_events<K: Kind>(micros: u64, cores: &[usize], record: Record) -> Result<Served, Fault> {
    let shared = K::open()?;
    let served = serve(micros, cores, || K::enter(&shared), record)?;
    K::close(shared, served.answered)?;
    Ok(served)
}

fn add_cell(
    cells: &mut Vec<Cell<'static>>,
    name: &'static str,
    role: Role,
    cores: &[usize],
    run: impl Fn(u64, &[usize]) -> Result<Served, Fault> + 'static,
) {
    let (at, placed) = (place(1, CONNECTIONS), cores.to_vec());
    let cell = Cell::new(at.words(BENCHES[0]), name, role, at, move |micros| {
        let Served { answered, elapsed, processor } = run(micros, &placed)?;
        let figure = |bench: &str, time: Duration| {
            Figure::new(bench.to_owned(), Unit::Ns, time.as_nanos() as f64 / answered.max(1) as f64)
        };
        let mut figures = vec![figure(BENCHES[0], elapsed)];
        figures.extend(processor.map(|processor| figure(BENCHES[1], processor)));
        Ok(Measured { figures, done: micros, elapsed })
    });
    cells.push(Cell { first: FIRST, ..cell.on(placement(2, cores)) });
}

/// Answers for `micros` microseconds. The answering thread calls `enter` first, and `record` for
/// each request.
fn serve<E>(micros: u64, cores: &[usize], enter: impl FnOnce() -> E + Send, record: Record) -> Result<Served, Fault> {
    let refused = |error: io::Error| Fault::Refused(format!("the server: {error}"));
    let core = |at: usize| cores.get(at % cores.len().max(1)).copied();
    let (sender, address) = mpsc::channel();
    thread::scope(|scope| {
        let server = scope.spawn(move || {
            machine::pin(core(0));
            let _entered = enter();
            let began = machine::time_on_core();
            let answered = on_this_thread(answer(sender, record));
            let ran = machine::time_on_core().zip(began).map(|(ended, began)| ended.saturating_sub(began));
            (answered, ran)
        });
        let Ok(address) = address.recv() else {
            return Err(refused(server.join().expect("it failed").0.expect_err("it has no address")));
        };
        let clients = scope.spawn(move || {
            machine::pin(core(1));
            let began = Instant::now();
            let asked = on_this_thread(send_requests(address, began + Duration::from_micros(micros)));
            (asked, began.elapsed())
        });
        let (asked, elapsed) = clients.join().expect("the clients' thread");
        let (answered, processor) = server.join().expect("the server's thread");
        let answered = answered.map_err(refused)?;
        let asked = asked.map_err(refused)?;
        if asked != answered {
            return Err(Fault::Stuck { popped: answered, wanted: asked });
        }
        Ok(Served { answered, elapsed, processor })
    })
}

fn on_this_thread<R>(work: impl Future<Output = io::Result<R>>) -> io::Result<R> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    LocalSet::new().block_on(&runtime, work)
}

/// Answers until all clients have disconnected. Returns the number of requests.
async fn answer(address: mpsc::Sender<SocketAddr>, record: Record) -> io::Result<u64> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    // The send fails if the clients' thread has failed.
    let _ = address.send(listener.local_addr()?);
    let answered = Rc::new(Count::new(0));
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let answered = Rc::clone(&answered);
        let service = service_fn(move |_| {
            let number = answered.get();
            answered.set(number + 1);
            record(number);
            async { Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(b"hello")))) }
        });
        let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        connections.push(spawn_local(connection));
    }
    for connection in connections {
        connection.await.map_err(io::Error::other)?.map_err(io::Error::other)?;
    }
    Ok(answered.get())
}

/// Sends requests over all connections until the time is over. Returns the number of answers.
async fn send_requests(address: SocketAddr, end: Instant) -> io::Result<u64> {
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        clients.push(spawn_local(send_requests_over(stream, end)));
    }
    let mut answers = 0;
    for client in clients {
        answers += client.await.map_err(io::Error::other)?.map_err(io::Error::other)?;
    }
    Ok(answers)
}

async fn send_requests_over(stream: TcpStream, end: Instant) -> hyper::Result<u64> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let connection = spawn_local(connection);
    let mut answers = 0;
    while Instant::now() < end {
        sender.ready().await?;
        let request = Request::get("/").header("host", "local").body(Empty::<Bytes>::new()).expect("it is valid");
        sender.send_request(request).await?.into_body().collect().await?;
        answers += 1;
    }
    drop(sender);
    // The server's connection ends after this one.
    let _ = connection.await;
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::{Recorder, event, with_events};

    #[test]
    fn each_request_is_recorded_once() {
        let served = with_events::<Recorder>(50_000, &[], |number| event!("request", number));
        assert!(served.expect("each is recorded once").answered > 0);
    }
}
