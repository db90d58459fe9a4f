# Requests
#
# The host makes them, under its option `network`. Code gets modules of this file, because those of Python need sockets
# and lead to modules that open files.

# The tool that makes a request. The host sends it to sessions with `network`.
_REQUEST_TOOL = "__smolagents_fetch__"
# Importable because of `network`, for messages.
_network_names = ("urllib.request", "urllib.error", "urllib.parse", "requests", "pyodide.http")
_network_modules = {}
_PREFIX = "fetch: "
# How the host's messages about time begin (`lib/network/requests.ts`).
_TOO_LONG = "the request took longer than "
_NO_TIMEOUT = object()
# As the package `requests`.
_MAX_REDIRECTS = 30


class _Network:
    tool = None


def _network_module(name, fromlist, allowed):
    """A module of this file; `None` if there is an installed package of that name that code may import."""
    if name == "requests" and __smolagents_is_import_allowed(name, allowed) and _find_module(name) is not None:
        return None
    module = _network_modules[name]
    if not fromlist:
        return _network_modules[name.partition(".")[0]]
    names = _names_of_module(module)
    for each in fromlist:
        # Otherwise Python would look for a separate module with this name.
        if type(each) is str and each != "*" and each not in names:
            raise ImportError(f"cannot import name {each!r} from {name!r}", name=name)
    return module


def _module_of(name, **members):
    module = _network_modules[name] = types.ModuleType(name)
    names = _names_of_module(module)
    names |= members
    for value in members.values():
        if getattr(value, "__module__", None) == __name__:
            value.__module__ = name
    holder, _, own = name.rpartition(".")
    if holder:
        _names_of_module(_network_modules[holder])[own] = module


class _Answer:
    """A response of the host, or of its `onToolCall`."""

    __slots__ = ("status", "reason", "headers", "url", "body", "redirected")

    def __init__(self, given, url):
        given = given if issubclass(type(given), dict) else {}
        headers, body = given.get("headers") or [], given.get("body") or b""
        self.status = int(given.get("status", 200))
        self.reason = given.get("statusText") or _reasons.get(self.status, "")
        self.headers = [(str(name), str(value)) for name, value in (headers.items() if isinstance(headers, dict) else headers)]
        self.url = given.get("url") or url
        self.body = body.encode() if isinstance(body, str) else bytes(body)
        self.redirected = bool(given.get("redirected"))


def _init_of(method, headers, body, redirect, timeout=None):
    init = {"method": method, "headers": [[str(name), str(value)] for name, value in headers], "redirect": redirect}
    if timeout is not None:
        init["timeoutMs"] = timeout * 1000
    return init if body is None else {**init, "body": body}


def _seconds_of(timeout):
    """The time that a request may take as a whole, or `None`. A pair has the times to connect and to read."""
    if isinstance(timeout, tuple):
        timeout = None if None in timeout else sum(timeout)
    if timeout is None or timeout is _NO_TIMEOUT:
        return None
    seconds = float(timeout)
    if not seconds > 0:
        raise ValueError(f"the timeout must be greater than 0, got {timeout!r}")
    return seconds


def _fetch(url, method, headers, body, redirect="follow", timeout=None):
    """Makes a request. Raises URLError if the host refuses it or gets no response."""
    init = _init_of(method, headers, body, redirect, _seconds_of(timeout))
    try:
        return _Answer(_Network.tool(url, init), url)
    except ToolError as error:
        raise _request_error(error) from None


async def _fetch_async(url, method, headers, body, redirect):
    init = _init_of(method, headers, body, redirect)
    try:
        return _Answer(await _start(*_tools[_Network.tool], (url, init), {}), url)
    except ToolError as error:
        raise _request_error(error) from None


def _request_error(error):
    """The error for code. Other errors than those of requests, such as limits of calls, stay what they are."""
    if error.is_bridge or error.name != "TypeError" or not error.message.startswith(_PREFIX):
        return error
    reason = error.message[len(_PREFIX) :]
    return _TimedOut(reason) if reason.startswith(_TOO_LONG) else _URLError(reason)


# urllib


class _URLError(OSError):
    """A request that was refused or had no response."""

    def __init__(self, reason, filename=None):
        self.args = (reason,)
        self.reason = reason
        if filename is not None:
            self.filename = filename

    def __str__(self):
        return f"<urlopen error {self.reason}>"


class _TimedOut(_URLError, TimeoutError):
    """A request that took longer than its timeout."""


class _Headers:
    """Headers of a response. Names are not case-sensitive."""

    def __init__(self, pairs):
        self._pairs = pairs

    def get_all(self, name, failobj=None):
        found = [value for known, value in self._pairs if known.lower() == name.lower()]
        return found or failobj

    def get(self, name, failobj=None):
        found = self.get_all(name)
        return found[0] if found else failobj

    def __getitem__(self, name):
        return self.get(name)

    def __contains__(self, name):
        return self.get_all(name) is not None

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self._pairs)

    def keys(self):
        return [name for name, _ in self._pairs]

    def values(self):
        return [value for _, value in self._pairs]

    def items(self):
        return list(self._pairs)

    def get_content_type(self):
        return self.get("content-type", "text/plain").partition(";")[0].strip().lower()

    def get_content_charset(self, failobj=None):
        return _charset_of(self.get("content-type", "")) or failobj

    def __str__(self):
        return "".join(f"{name}: {value}\n" for name, value in self._pairs)


def _charset_of(content_type):
    for part in content_type.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'").lower()
    return None


class _Reading:
    """What a response can do like a file. The whole body has arrived."""

    def _take(self, answer):
        self._body, self._at = answer.body, 0
        self.status = self.code = answer.status
        self.reason = self.msg = answer.reason
        self.url = answer.url
        self.headers = _Headers(answer.headers)

    def read(self, amt=None):
        end = len(self._body) if amt is None or amt < 0 else min(self._at + amt, len(self._body))
        part, self._at = self._body[self._at : end], end
        return part

    def readline(self, limit=-1):
        end = self._body.find(b"\n", self._at)
        size = (len(self._body) if end == -1 else end + 1) - self._at
        return self.read(size if limit is None or limit < 0 else min(size, limit))

    def readlines(self):
        return list(self)

    def __iter__(self):
        while line := self.readline():
            yield line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._body, self._at = b"", 0

    def readable(self):
        return True

    def geturl(self):
        return self.url

    def getcode(self):
        return self.status

    def info(self):
        return self.headers

    def getheader(self, name, default=None):
        found = self.headers.get_all(name)
        return default if found is None else ", ".join(found)

    def getheaders(self):
        return self.headers.items()


class _Response(_Reading):
    def __init__(self, answer):
        self._take(answer)


class _HTTPError(_URLError, _Reading):
    """A response with another status than 2xx, which can be read."""

    def __init__(self, url, code, msg, hdrs, fp=None):
        pairs = hdrs.items() if hasattr(hdrs, "items") else list(hdrs or [])
        body = b"" if fp is None else fp.read()
        _Reading._take(self, _Answer({"status": code, "statusText": msg, "headers": pairs, "url": url, "body": body}, url))
        self.args = ()
        self.filename = url
        self.hdrs, self.fp = self.headers, self

    def __str__(self):
        return f"HTTP Error {self.code}: {self.msg}"

    def __repr__(self):
        return f"<HTTPError {self.code}: {self.msg!r}>"


class _Request:
    """A request of `urlopen`."""

    def __init__(self, url, data=None, headers={}, origin_req_host=None, unverifiable=False, method=None):
        self.full_url = url
        parts = _parse_url(url)
        if not parts.scheme:
            raise ValueError(f"unknown url type: {url!r}")
        self.type, self.host = parts.scheme, parts.netloc
        self.selector = parts._replace(scheme="", netloc="", fragment="").geturl()
        self.data, self.method = data, method
        self.headers = {}
        for name, value in headers.items():
            self.add_header(name, value)

    def add_header(self, key, val):
        self.headers[key.capitalize()] = val

    add_unredirected_header = add_header

    def has_header(self, header_name):
        return header_name.capitalize() in self.headers

    def get_header(self, header_name, default=None):
        return self.headers.get(header_name.capitalize(), default)

    def remove_header(self, header_name):
        self.headers.pop(header_name.capitalize(), None)

    def header_items(self):
        return list(self.headers.items())

    def get_full_url(self):
        return self.full_url

    def get_method(self):
        return self.method or ("GET" if self.data is None else "POST")


def _urlopen(url, data=None, timeout=_NO_TIMEOUT, *, context=None):
    """Makes a request. `timeout` limits the time for the whole of it."""
    asked = url if isinstance(url, _Request) else _Request(url)
    body = asked.data if data is None else data
    if isinstance(body, str):
        raise TypeError("POST data should be bytes, an iterable of bytes, or a file object. It cannot be of type str.")
    body = None if body is None else _bytes_of(body)
    headers = dict(asked.headers)
    if body is not None:
        headers.setdefault("Content-type", "application/x-www-form-urlencoded")
    method = asked.method or ("GET" if body is None else "POST")
    answer = _fetch(asked.full_url, method, headers.items(), body, timeout=timeout)
    response = _Response(answer)
    if not 200 <= answer.status < 300:
        raise _HTTPError(answer.url, answer.status, answer.reason, response.headers, response)
    return response


def _bytes_of(data):
    """The bytes of a body: bytes, text, a file, or an iterable of bytes."""
    if isinstance(data, str):
        return data.encode()
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    return _bytes_of(data.read()) if hasattr(data, "read") else b"".join(data)


# requests


class _RequestException(OSError):
    def __init__(self, *args, request=None, response=None):
        super().__init__(*args)
        self.request, self.response = request, response


class _RequestsConnectionError(_RequestException):
    pass


class _RequestsHTTPError(_RequestException):
    pass


class _Timeout(_RequestException):
    pass


class _ReadTimeout(_Timeout):
    pass


class _ConnectTimeout(_RequestsConnectionError, _Timeout):
    pass


class _TooManyRedirects(_RequestException):
    pass


class _RequestsJSONError(_RequestException, json.JSONDecodeError):
    def __init__(self, error):
        json.JSONDecodeError.__init__(self, error.msg, error.doc, error.pos)
        self.request = self.response = None

    __reduce__ = json.JSONDecodeError.__reduce__


class _CaseInsensitiveDict(dict):
    """Headers of a response. Names are not case-sensitive, and values with the same name are joined."""

    def __init__(self, pairs):
        super().__init__()
        for name, value in pairs:
            known = self.get(name)
            self[name] = value if known is None else f"{known}, {value}"

    def _name(self, name):
        return name.lower() if isinstance(name, str) else name

    def __setitem__(self, name, value):
        super().__setitem__(self._name(name), value)

    def __getitem__(self, name):
        return super().__getitem__(self._name(name))

    def __contains__(self, name):
        return super().__contains__(self._name(name))

    def __delitem__(self, name):
        super().__delitem__(self._name(name))

    def get(self, name, default=None):
        return super().get(self._name(name), default)

    def pop(self, name, *default):
        return super().pop(self._name(name), *default)

    def setdefault(self, name, default=None):
        return super().setdefault(self._name(name), default)

    def update(self, *others, **more):
        for name, value in dict(*others, **more).items():
            self[name] = value


class _Cookie:
    """A cookie. An empty `domain` means all hosts."""

    def __init__(self, name, value, domain="", path="/", secure=False, expires=None, is_of_host=False):
        self.name, self.value, self.domain, self.path = name, value, domain, path
        self.secure, self.expires, self._is_of_host = secure, expires, is_of_host

    def __repr__(self):
        return f"<Cookie {self.name}={self.value} for {self.domain}{self.path}>"

    def is_expired(self, now=None):
        return self.expires is not None and self.expires <= (time.time() if now is None else now)

    def _is_for(self, url):
        host, path = url.hostname or "", url.path or "/"
        is_host = self.domain in ("", host) or (not self._is_of_host and host.endswith("." + self.domain))
        is_path = path == self.path or path.startswith(self.path if self.path.endswith("/") else self.path + "/")
        return is_host and is_path and (not self.secure or url.scheme == "https")


def _cookie_of(text, url):
    """The cookie of a header `set-cookie`, or `None` if it is not one for this host."""
    first, *attributes = text.split(";")
    name, equals, value = first.partition("=")
    host = url.hostname or ""
    if not equals or not name.strip():
        return None
    folder = url.path.rpartition("/")[0] or "/"
    cookie = _Cookie(name.strip(), value.strip(), host, folder, is_of_host=True)
    has_age = False
    for attribute in attributes:
        key, _, given = attribute.partition("=")
        key, given = key.strip().lower(), given.strip()
        if key == "domain" and given:
            domain = given.lstrip(".").lower()
            if domain != host and ("." not in domain or not host.endswith("." + domain)):
                return None
            cookie.domain, cookie._is_of_host = domain, False
        elif key == "path" and given.startswith("/"):
            cookie.path = given
        elif key == "secure":
            cookie.secure = True
        elif key == "max-age" and given.removeprefix("-").isdecimal():
            has_age = True
            cookie.expires = time.time() + int(given[:12])
        elif key == "expires" and not has_age:
            cookie.expires = _time_of(given)
    return cookie


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def _time_of(text):
    """The time of a header, such as `Wed, 21 Oct 2015 07:28:00 GMT`; `None` if it is not one."""
    words = text.replace("-", " ").replace(":", " ").split()
    try:
        day, month, year, hour, minute, second = words[-7:-1] if words[-1:] == ["GMT"] else words[-6:]
        year = int(year)
        if 0 <= year < 100:
            year += 2000 if year < 70 else 1900
        date = datetime.datetime(year, _MONTHS.index(month[:3].lower()) + 1, int(day), int(hour), int(minute), int(second))
    except (ValueError, OverflowError):
        return None
    return date.replace(tzinfo=datetime.timezone.utc).timestamp()


class _CookieJar:
    """Cookies of a session or of a response."""

    def __init__(self):
        self._kept = {}

    def set_cookie(self, cookie):
        key = (cookie.domain, cookie.path, cookie.name)
        self._kept.pop(key, None)
        if not cookie.is_expired():
            self._kept[key] = cookie

    def set(self, name, value, domain="", path="/"):
        if value is None:
            self._kept = {key: it for key, it in self._kept.items() if it.name != name}
        else:
            self.set_cookie(_Cookie(name, str(value), domain, path))

    def _take(self, answer):
        for name, value in answer.headers:
            cookie = _cookie_of(value, _parse_url(answer.url)) if name.lower() == "set-cookie" else None
            if cookie is not None:
                self.set_cookie(cookie)

    def _header(self, url):
        """The header `cookie` for a request, or an empty string."""
        parts = _parse_url(url)
        found = [it for it in self if not it.is_expired() and it._is_for(parts)]
        found.sort(key=lambda it: -len(it.path))
        return "; ".join(f"{it.name}={it.value}" for it in found)

    def __iter__(self):
        return iter(list(self._kept.values()))

    def __len__(self):
        return len(self._kept)

    def __contains__(self, name):
        return any(it.name == name for it in self)

    def get(self, name, default=None, domain=None, path=None):
        for it in self:
            if it.name == name and domain in (None, it.domain) and path in (None, it.path):
                return it.value
        return default

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(name)
        return self.get(name)

    def __setitem__(self, name, value):
        self.set(name, value)

    def __delitem__(self, name):
        self.set(name, None)

    def keys(self):
        return [it.name for it in self]

    def values(self):
        return [it.value for it in self]

    def items(self):
        return [(it.name, it.value) for it in self]

    def get_dict(self, domain=None, path=None):
        return {it.name: it.value for it in self if domain in (None, it.domain) and path in (None, it.path)}

    def update(self, other):
        for cookie in other if isinstance(other, _CookieJar) else ():
            self.set_cookie(cookie)
        for name, value in () if isinstance(other, _CookieJar) else dict(other).items():
            self.set(name, value)

    def clear(self):
        self._kept.clear()

    def __repr__(self):
        return f"<RequestsCookieJar{list(self)!r}>"


class _RequestsResponse:
    def __init__(self, answer):
        self.status_code, self.reason, self.url = answer.status, answer.reason, answer.url
        self.headers = _CaseInsensitiveDict(answer.headers)
        self.cookies = _CookieJar()
        self.cookies._take(answer)
        self.history = []
        self.content = answer.body
        self.encoding = _charset_of(self.headers.get("content-type", ""))

    @property
    def ok(self):
        return self.status_code < 400

    def __bool__(self):
        return self.ok

    def __repr__(self):
        return f"<Response [{self.status_code}]>"

    @property
    def text(self):
        try:
            return self.content.decode(self.encoding or "utf-8", "replace")
        except LookupError:
            return self.content.decode("utf-8", "replace")

    def json(self):
        try:
            return json.loads(self.content)
        except UnicodeDecodeError:
            return json.loads(self.text)
        except json.JSONDecodeError as error:
            raise _RequestsJSONError(error) from None

    def iter_lines(self, chunk_size=None, decode_unicode=False):
        return iter((self.text if decode_unicode else self.content).splitlines())

    def iter_content(self, chunk_size=1, decode_unicode=False):
        body = self.text if decode_unicode else self.content
        size = chunk_size or len(body) or 1
        return (body[at : at + size] for at in range(0, len(body), size))

    @property
    def is_redirect(self):
        return "location" in self.headers and self.status_code in _REDIRECTS

    def raise_for_status(self):
        if self.status_code >= 400:
            side = "Client" if self.status_code < 500 else "Server"
            message = f"{self.status_code} {side} Error: {self.reason} for url: {self.url}"
            raise _RequestsHTTPError(message, response=self)

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


_REDIRECTS = (301, 302, 303, 307, 308)
_OF_THE_HOST = ("verify", "cert", "proxies", "hooks")


def _asked_for(
    method, url, *, params=None, data=None, json=None, headers=None, cookies=None, files=None, auth=None, stream=False, **others
):
    """URL, method, headers and body of a request."""
    for name in others:
        if name not in _OF_THE_HOST:
            raise TypeError(f"request() got an unexpected keyword argument {name!r}")
        if others[name] is not None:
            raise TypeError(f"{name} is not available, because the host makes the request: leave it out")
    sent = {str(name).lower(): value for name, value in (headers or {}).items() if value is not None}
    body = None
    if files:
        body, form = _form_of(data, files)
        sent.setdefault("content-type", form)
    elif json is not None and data is None:
        body = _encode_plain_json(json).encode()
        sent.setdefault("content-type", "application/json")
    elif data is not None:
        if not isinstance(data, (str, bytes, bytearray)) and not hasattr(data, "read"):
            data = _urlencode(data, doseq=True)
            sent.setdefault("content-type", "application/x-www-form-urlencoded")
        body = _bytes_of(data)
    if auth is not None:
        user, password = auth
        pair = _to_base64(f"{user}:{password}".encode("latin-1"), newline=False).decode()
        sent["authorization"] = f"Basic {pair}"
    if cookies:
        given = "; ".join(f"{name}={value}" for name, value in dict(cookies.items()).items())
        sent["cookie"] = f"{sent['cookie']}; {given}" if "cookie" in sent else given
    return _with_params(url, params), method.upper(), sent, body


def _form_of(data, files):
    """A form with files, and its type."""
    boundary = os.urandom(16).hex()
    parts = []

    def add(name, value, about=""):
        name = str(name).replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{about}\r\n\r\n'
        parts.extend((head.encode(), value if isinstance(value, bytes) else str(value).encode(), b"\r\n"))

    for name, value in data.items() if hasattr(data, "items") else data or ():
        for each in value if isinstance(value, (list, tuple)) else (value,):
            add(name, each)
    for name, given in files.items() if hasattr(files, "items") else files:
        file_name, content, *more = given if isinstance(given, (tuple, list)) else (getattr(given, "name", name), given)
        file_name = str(file_name).rpartition("/")[2].replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        kind = f"\r\nContent-Type: {more[0]}" if more and more[0] else ""
        add(name, _bytes_of(content), f'; filename="{file_name}"{kind}')
    parts.append(f"--{boundary}--\r\n".encode())
    return b"".join(parts), f"multipart/form-data; boundary={boundary}"


def _answer_to(url, method, headers, body, redirect, timeout):
    try:
        return _fetch(url, method, headers.items(), body, redirect, timeout)
    except _TimedOut as error:
        raise _ReadTimeout(str(error.reason)) from None
    except _URLError as error:
        raise _RequestsConnectionError(str(error.reason)) from None


def _requests_request(method, url, *, timeout=None, allow_redirects=True, **options):
    """Makes a request. `timeout` limits the time for the whole of it."""
    asked = _asked_for(method, url, **options)
    return _RequestsResponse(_answer_to(*asked, "follow" if allow_redirects else "manual", timeout))


class _Session:
    """Requests that share headers, cookies, parameters and a login. Each step of a redirect is a separate request."""

    def __init__(self):
        self.headers = _CaseInsensitiveDict(())
        self.cookies = _CookieJar()
        self.params, self.auth, self.max_redirects = {}, None, _MAX_REDIRECTS

    def request(self, method, url, *, params=None, headers=None, auth=None, timeout=None, allow_redirects=True, **options):
        sent = _CaseInsensitiveDict(dict(self.headers).items())
        sent.update(headers or {})
        if self.params and (params is None or hasattr(params, "items")):
            params = {**self.params, **(params or {})}
        given = {"params": params, "headers": sent, "auth": self.auth if auth is None else auth, **options}
        asked = _asked_for(method, url, **given)
        history = []
        while True:
            response = self._answer_to(asked, timeout)
            response.history = list(history)
            if not allow_redirects or not response.is_redirect:
                return response
            if len(history) == self.max_redirects:
                raise _TooManyRedirects(f"Exceeded {self.max_redirects} redirects.", response=response)
            history.append(response)
            asked = _redirected(asked, response)

    def _answer_to(self, asked, timeout):
        url, method, sent, body = asked
        kept = self.cookies._header(url)
        if kept:
            sent = {**sent, "cookie": f"{sent['cookie']}; {kept}" if "cookie" in sent else kept}
        answer = _answer_to(url, method, sent, body, "manual", timeout)
        self.cookies._take(answer)
        return _RequestsResponse(answer)

    def get(self, url, **options):
        return self.request("GET", url, **options)

    def options(self, url, **options):
        return self.request("OPTIONS", url, **options)

    def head(self, url, **options):
        return self.request("HEAD", url, **{"allow_redirects": False, **options})

    def post(self, url, data=None, json=None, **options):
        return self.request("POST", url, data=data, json=json, **options)

    def put(self, url, data=None, **options):
        return self.request("PUT", url, data=data, **options)

    def patch(self, url, data=None, **options):
        return self.request("PATCH", url, data=data, **options)

    def delete(self, url, **options):
        return self.request("DELETE", url, **options)

    def mount(self, prefix, adapter):
        raise NotImplementedError("there are no adapters, because the host makes the requests: leave out mount()")

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def _redirected(asked, response):
    """The request to which a response leads."""
    url, method, sent, body = asked
    target = _join_url(url, response.headers["location"])
    old, new = _parse_url(url), _parse_url(target)
    if (old.scheme, old.netloc) != (new.scheme, new.netloc):
        sent = {name: value for name, value in sent.items() if name not in ("authorization", "cookie")}
    status = response.status_code
    if (status == 303 and method != "HEAD") or (status in (301, 302) and method == "POST"):
        method, body = "GET", None
        sent = {name: value for name, value in sent.items() if not name.startswith("content-")}
    return target, method, sent, body


class _BasicAuth:
    """A name and a password."""

    def __init__(self, username, password):
        self.username, self.password = username, password

    def __iter__(self):
        return iter((self.username, self.password))


def _with_params(url, params):
    if not params:
        return url
    query = params if isinstance(params, str) else _urlencode(params, doseq=True)
    url, mark, fragment = url.partition("#")
    return f"{url}{'&' if '?' in url else '?'}{query}{mark}{fragment}"


def _requests_method(method):
    def ask(url, **options):
        return _requests_request(method, url, **options)

    ask.__name__ = ask.__qualname__ = method.lower()
    ask.__module__ = "requests"
    return ask


def _requests_get(url, params=None, **options):
    return _requests_request("GET", url, params=params, **options)


def _requests_post(url, data=None, json=None, **options):
    return _requests_request("POST", url, data=data, json=json, **options)


def _requests_head(url, **options):
    return _requests_request("HEAD", url, **{"allow_redirects": False, **options})


# pyodide.http


class _FetchResponse:
    def __init__(self, answer):
        self.status, self.status_text, self.url = answer.status, answer.reason, answer.url
        self.headers = dict(_CaseInsensitiveDict(answer.headers))
        self.redirected = answer.redirected
        self._body = answer.body

    @property
    def ok(self):
        return 200 <= self.status < 300

    def raise_for_status(self):
        if self.status >= 400:
            side = "Client" if self.status < 500 else "Server"
            raise OSError(f"{self.status} {side} Error: {self.status_text} for url: {self.url}")

    async def text(self):
        return self._body.decode("utf-8", "replace")

    string = text

    async def bytes(self):
        return self._body

    async def json(self, **options):
        return json.loads(self._body, **options)


async def _pyfetch(url, *, method="GET", headers=None, body=None, redirect="follow", **options):
    """Makes a request without blocking. Further options of the browser's `fetch` have no meaning here."""
    pairs = headers.items() if hasattr(headers, "items") else headers or ()
    data = None if body is None else _bytes_of(body)
    return _FetchResponse(await _fetch_async(url, method.upper(), pairs, data, redirect))


def _renamed(names):
    for name, value in names.items():
        value.__name__ = value.__qualname__ = name
    return names


_find_module = importlib.machinery.PathFinder.find_spec
_reasons = {status.value: status.phrase for status in http.HTTPStatus}
_parse_url, _join_url, _urlencode = urllib.parse.urlsplit, urllib.parse.urljoin, urllib.parse.urlencode
_encode_plain_json = type("_Encoder", (json.JSONEncoder,), {**json.JSONEncoder.__dict__})().encode
_to_base64 = binascii.b2a_base64
_module_of("urllib")
_module_of("urllib.parse", **{name: getattr(urllib.parse, name) for name in urllib.parse.__all__})
_module_of("urllib.error", **_renamed({"URLError": _URLError, "HTTPError": _HTTPError}))
_renamed({"TimeoutError": _TimedOut})["TimeoutError"].__module__ = "urllib.error"
_module_of("urllib.request", **_renamed({"Request": _Request, "urlopen": _urlopen}))
_errors_of_requests = _renamed(
    {
        "RequestException": _RequestException,
        "ConnectionError": _RequestsConnectionError,
        "HTTPError": _RequestsHTTPError,
        "Timeout": _Timeout,
        "ReadTimeout": _ReadTimeout,
        "ConnectTimeout": _ConnectTimeout,
        "TooManyRedirects": _TooManyRedirects,
        "JSONDecodeError": _RequestsJSONError,
    }
)
_module_of(
    "requests",
    **_renamed(
        {
            "request": _requests_request,
            "get": _requests_get,
            "post": _requests_post,
            "head": _requests_head,
            "put": _requests_method("PUT"),
            "patch": _requests_method("PATCH"),
            "delete": _requests_method("DELETE"),
            "options": _requests_method("OPTIONS"),
            "Response": _RequestsResponse,
            "Session": _Session,
        }
    ),
    session=_Session,
)
_module_of("requests.auth", **_renamed({"HTTPBasicAuth": _BasicAuth}))
_module_of("requests.sessions", Session=_Session)
_module_of("requests.cookies", **_renamed({"RequestsCookieJar": _CookieJar}))
_module_of("requests.exceptions", **_errors_of_requests)
_names_of_module(_network_modules["requests"]).update(_errors_of_requests)
_module_of("pyodide")
_module_of("pyodide.http", **_renamed({"pyfetch": _pyfetch, "FetchResponse": _FetchResponse}))
for _kind in (_Headers, _Response):
    _kind.__module__ = "urllib.request"
    _kind.__name__ = _kind.__qualname__ = {_Headers: "HTTPMessage", _Response: "HTTPResponse"}[_kind]
