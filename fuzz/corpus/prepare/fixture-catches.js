try { a() } catch { }
try { a() } catch (e) { b(e) }
try { a() } catch ({ message: m = fallback(), ...rest }) { let fallback; b(m, rest) }
try { a() } catch ([first]) { var kept = first } finally { c() }
const nested = async () => { try { await a() } catch { try { b() } catch (e) { throw e } } };
null
