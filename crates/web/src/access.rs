//! Checks of the `Host` and `Origin` of requests.
//!
//! Pages of other sites must not control the board. Browsers send the site of the page (`Origin`) and the
//! name that they have connected to (`Host`). Comparing the two is not enough: a foreign site can make its
//! own name resolve to this machine (DNS rebinding). So the host must also be `localhost` or an IP address,
//! which no site owns. Images and scripts are loaded without an `Origin`; browsers then say where the page is
//! from (`Sec-Fetch-Site`). Links from other pages may open the board.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessError {
    /// The header `Host` is missing, or names another machine or port.
    Host,
    /// The request comes from a page of another site.
    Origin,
}

impl AccessError {
    /// The body of the response.
    pub(super) fn text(self) -> &'static str {
        match self {
            AccessError::Host => "refused: open the board at the address that the server has printed\n",
            AccessError::Origin => "refused: pages of other sites may not use this board\n",
        }
    }
}

/// Checks the headers of a request to the port of the server.
pub(super) fn check(headers: &HeaderMap, port: u16) -> Result<(), AccessError> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none()).and_then(|host| host.to_str().ok());
    let host = host.filter(|host| is_own(host, port)).ok_or(AccessError::Host)?;
    // Clients other than browsers send no `Origin`.
    for origin in headers.get_all(ORIGIN) {
        let origin = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
        if origin != Some(host) {
            return Err(AccessError::Origin);
        }
    }
    let value = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_foreign = value("sec-fetch-site").is_some_and(|site| !["same-origin", "none"].contains(&site));
    // A frame navigates, too.
    let is_link = value("sec-fetch-mode") == Some("navigate")
        && value("sec-fetch-dest").is_none_or(|destination| destination == "document");
    if is_foreign && !is_link { Err(AccessError::Origin) } else { Ok(()) }
}

/// Whether a `Host` is `localhost` or an address, with the port of the server.
fn is_own(host: &str, port: u16) -> bool {
    let (name, own_port) = match host.rsplit_once(':') {
        Some((name, digits)) if !digits.ends_with(']') => (name, digits.parse() == Ok(port)),
        _ => (host, port == 80),
    };
    let v6 = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_address = match v6 {
        Some(name) => name.parse::<Ipv6Addr>().is_ok(),
        None => name.parse().is_ok_and(|address: IpAddr| address.is_ipv4()),
    };
    own_port && (is_address || name.eq_ignore_ascii_case("localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_headers(lines: &[(&'static str, &str)]) -> Result<(), AccessError> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        check(&headers, 8888)
    }

    #[test]
    fn a_host_is_an_address_or_localhost_with_the_port() {
        for host in ["127.0.0.1:8888", "localhost:8888", "LOCALHOST:8888", "[::1]:8888", "10.0.0.7:8888"] {
            assert_eq!(check_headers(&[("host", host)]), Ok(()), "{host}");
        }
        for host in ["127.0.0.1", "127.0.0.1:8889", "evil.example:8888", "localhost.evil.example:8888"] {
            assert_eq!(check_headers(&[("host", host)]), Err(AccessError::Host), "{host}");
        }
        for host in ["", ":8888", "[::1]", "::1:8888", "[127.0.0.1]:8888", "127.0.0.1:8888:8888"] {
            assert_eq!(check_headers(&[("host", host)]), Err(AccessError::Host), "{host}");
        }
        assert_eq!(check_headers(&[]), Err(AccessError::Host));
        let twice = [("host", "localhost:8888"), ("host", "evil.example:8888")];
        assert_eq!(check_headers(&twice), Err(AccessError::Host));
    }

    #[test]
    fn pages_of_other_sites_may_link_to_the_board_but_not_frame_it() {
        for (destination, expected) in [("document", Ok(())), ("iframe", Err(AccessError::Origin))] {
            let host = ("host", "localhost:8888");
            let fetch = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
            let headers = [host, fetch[0], fetch[1], ("sec-fetch-dest", destination)];
            assert_eq!(check_headers(&headers), expected, "{destination}");
        }
    }

    #[test]
    fn pages_of_other_sites_may_link_to_the_board_but_load_nothing() {
        let check = |site, mode| {
            let host = ("host", "localhost:8888");
            check_headers(&[host, ("sec-fetch-site", site), ("sec-fetch-mode", mode)])
        };
        for (site, mode) in [("same-origin", "cors"), ("none", "navigate"), ("cross-site", "navigate")] {
            assert_eq!(check(site, mode), Ok(()), "{site}, {mode}");
        }
        for (site, mode) in [("cross-site", "no-cors"), ("same-site", "cors"), ("", ""), ("cross-site", "")] {
            assert_eq!(check(site, mode), Err(AccessError::Origin), "{site}, {mode}");
        }
    }

    #[test]
    fn an_origin_is_the_host() {
        let host = ("host", "localhost:8888");
        assert_eq!(check_headers(&[host, ("origin", "http://localhost:8888")]), Ok(()));
        for origin in [
            "http://evil.example",
            "https://localhost:8888",
            "http://localhost:8889",
            "http://127.0.0.1:8888",
            "null",
            "",
        ] {
            assert_eq!(check_headers(&[host, ("origin", origin)]), Err(AccessError::Origin), "{origin}");
        }
        let two = [host, ("origin", "http://localhost:8888"), ("origin", "http://evil.example")];
        assert_eq!(check_headers(&two), Err(AccessError::Origin));
    }
}
