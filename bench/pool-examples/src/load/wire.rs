//! The client's side of a connection, as bytes. It does as little as it can, because client and
//! server share cores.

/// The protocol of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// HTTP/1.1, one request at a time.
    Http1,
    /// HTTP/2.
    Http2,
    /// gRPC over HTTP/2.
    Grpc,
}

/// The types of HTTP/2's frames that matter here.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;

/// The flags of HTTP/2's frames.
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The length of a frame's head.
const HEAD: usize = 9;

/// A request without an answer.
#[derive(Debug)]
struct Open {
    stream: u32,
    since: u64,
    has_body: bool,
}

/// A connection: its open requests, and the bytes of an answer that is not whole yet.
#[derive(Debug)]
pub(super) struct Wire {
    protocol: Protocol,
    open: Vec<Open>,
    next_stream: u32,
    received: Vec<u8>,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Wire {
    /// Makes a connection. Adds the client's first bytes to `out`.
    pub(super) fn new(protocol: Protocol, out: &mut Vec<u8>) -> Self {
        if protocol != Protocol::Http1 {
            out.extend_from_slice(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            // No table of headers, and windows that a run does not fill.
            let settings = [0, 1, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff];
            frame(out, SETTINGS, 0, 0, &settings);
            frame(out, WINDOW_UPDATE, 0, 0, &(0x7fff_ffff_u32 - 0xffff).to_be_bytes());
        }
        let (request, answer) = match protocol {
            Protocol::Http1 => (b"GET /world HTTP/1.1\r\nhost: here\r\n\r\n".to_vec(), b"hello, world\n".to_vec()),
            // By HPACK's static table: GET, http, then a path and a host as they are.
            Protocol::Http2 => (headers(&[0x82, 0x86], "/world", &[]), b"hello, world\n".to_vec()),
            Protocol::Grpc => {
                // POST, http, the path, then the content's type, and `te`.
                let more = [&[0x0f, 0x10, 16][..], b"application/grpc", &[0, 2], b"te", &[8], b"trailers"].concat();
                let answer = [&[0, 0, 0, 0, 14, 0x0a, 12][..], b"hello, world"].concat();
                (headers(&[0x83, 0x86], "/greeter.Greeter/SayHello", &more), answer)
            }
        };
        Self { protocol, open: Vec::new(), next_stream: 1, received: Vec::new(), request, answer }
    }

    /// Returns the number of open requests.
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    /// Adds a request to `out`. Its time counts from `since`.
    pub(super) fn add_request(&mut self, since: u64, out: &mut Vec<u8>) {
        let stream = self.next_stream;
        self.next_stream += 2;
        self.open.push(Open { stream, since, has_body: false });
        match self.protocol {
            Protocol::Http1 => out.extend_from_slice(&self.request),
            Protocol::Http2 => frame(out, HEADERS, END_HEADERS | END_STREAM, stream, &self.request),
            Protocol::Grpc => {
                frame(out, HEADERS, END_HEADERS, stream, &self.request);
                frame(out, DATA, END_STREAM, stream, b"\0\0\0\0\x07\x0a\x05world");
            }
        }
    }

    /// Reads bytes of the server. Calls `answered` with the time since which each answered request
    /// counts. Replies that the protocol requires go to `out`.
    pub(super) fn receive(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        mut answered: impl FnMut(u64),
    ) -> Result<(), &'static str> {
        self.received.extend_from_slice(bytes);
        let mut read = 0;
        loop {
            let rest = &self.received[read..];
            let used = match self.protocol {
                Protocol::Http1 => one_answer(rest, &self.answer)?,
                Protocol::Http2 | Protocol::Grpc => whole_frame(rest),
            };
            let Some(used) = used else { break };
            if let Some(since) = match self.protocol {
                Protocol::Http1 if self.open.is_empty() => return Err("an answer without a request"),
                Protocol::Http1 => Some(self.open.remove(0).since),
                Protocol::Http2 | Protocol::Grpc => receive_frame(&mut self.open, &rest[..used], &self.answer, out)?,
            } {
                answered(since);
            }
            read += used;
        }
        self.received.drain(..read);
        Ok(())
    }
}

/// Adds a frame of HTTP/2.
fn frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).expect("frames are short").to_be_bytes();
    out.extend_from_slice(&length[1..]);
    out.extend_from_slice(&[kind, flags]);
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
}

/// Returns a block of headers without Huffman's code.
fn headers(first: &[u8], path: &str, more: &[u8]) -> Vec<u8> {
    let length = u8::try_from(path.len()).expect("the path is short");
    [first, &[4, length], path.as_bytes(), &[1, 4], b"here", more].concat()
}

/// Returns the length of the first answer, if all of it is there.
fn one_answer(bytes: &[u8], answer: &[u8]) -> Result<Option<usize>, &'static str> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let length = end + 4 + answer.len();
    if !bytes.starts_with(b"HTTP/1.1 200") {
        return Err("the status is not 200");
    }
    match bytes.get(end + 4..length) {
        Some(body) if body == answer => Ok(Some(length)),
        Some(_) => Err("the answer is wrong"),
        None => Ok(None),
    }
}

/// Returns the length of the first frame, if all of it is there.
fn whole_frame(bytes: &[u8]) -> Option<usize> {
    let [high, middle, low] = *bytes.first_chunk()?;
    let length = HEAD + u32::from_be_bytes([0, high, middle, low]) as usize;
    (bytes.len() >= length).then_some(length)
}

/// Reads a frame. Returns the time of the request that it ends.
fn receive_frame(
    open: &mut Vec<Open>,
    frame_bytes: &[u8],
    answer: &[u8],
    out: &mut Vec<u8>,
) -> Result<Option<u64>, &'static str> {
    let (head, payload) = frame_bytes.split_at(HEAD);
    let (kind, flags) = (head[3], head[4]);
    match kind {
        DATA | HEADERS => {}
        SETTINGS if flags & ACK == 0 => {
            frame(out, SETTINGS, ACK, 0, &[]);
            return Ok(None);
        }
        PING if flags & ACK == 0 => {
            frame(out, PING, ACK, 0, payload);
            return Ok(None);
        }
        RST_STREAM | GOAWAY => return Err("the server ends a stream or the connection"),
        _ => return Ok(None),
    }
    let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
    let place = open.iter().position(|request| request.stream == stream).ok_or("an answer without a request")?;
    if kind == DATA && !payload.is_empty() {
        if payload != answer {
            return Err("the answer is wrong");
        }
        open[place].has_body = true;
    }
    if flags & END_STREAM == 0 {
        return Ok(None);
    }
    let request = open.swap_remove(place);
    if request.has_body { Ok(Some(request.since)) } else { Err("the answer has no body") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive(wire: &mut Wire, bytes: &[u8]) -> Result<Vec<u64>, &'static str> {
        let mut answered = Vec::new();
        wire.receive(bytes, &mut Vec::new(), |since| answered.push(since)).map(|()| answered)
    }

    #[test]
    fn answers_come_in_pieces() {
        let mut out = Vec::new();
        let mut wire = Wire::new(Protocol::Http1, &mut out);
        wire.add_request(7, &mut out);
        assert_eq!(receive(&mut wire, b"HTTP/1.1 200 OK\r\n\r\nhello,"), Ok(vec![]));
        assert_eq!(receive(&mut wire, b" world\n"), Ok(vec![7]));
        assert_eq!(wire.open(), 0);
    }

    #[test]
    fn streams_end_in_any_order() {
        let mut out = Vec::new();
        let mut wire = Wire::new(Protocol::Http2, &mut out);
        wire.add_request(7, &mut out);
        wire.add_request(8, &mut out);
        let mut answer = Vec::new();
        frame(&mut answer, SETTINGS, 0, 0, &[]);
        for stream in [3, 1] {
            frame(&mut answer, HEADERS, END_HEADERS, stream, &[0x88]);
            frame(&mut answer, DATA, END_STREAM, stream, b"hello, world\n");
        }
        assert_eq!(receive(&mut wire, &answer), Ok(vec![8, 7]));
    }

    #[test]
    fn wrong_answers_are_noticed() {
        let mut out = Vec::new();
        let mut wire = Wire::new(Protocol::Http1, &mut out);
        assert!(receive(&mut wire, b"HTTP/1.1 404 Not Found\r\n\r\nhello, world\n").is_err());
        let mut wire = Wire::new(Protocol::Http1, &mut out);
        assert!(receive(&mut wire, b"HTTP/1.1 200 OK\r\n\r\nhello, nobody").is_err());
        for wrong in [&b"hello, nobody"[..], b""] {
            let mut wire = Wire::new(Protocol::Http2, &mut out);
            wire.add_request(7, &mut out);
            let mut answer = Vec::new();
            frame(&mut answer, DATA, END_STREAM, 1, wrong);
            assert!(receive(&mut wire, &answer).is_err());
        }
        let mut wire = Wire::new(Protocol::Grpc, &mut out);
        wire.add_request(7, &mut out);
        let mut answer = Vec::new();
        frame(&mut answer, RST_STREAM, 0, 1, &[0, 0, 0, 2]);
        assert!(receive(&mut wire, &answer).is_err());
    }
}
