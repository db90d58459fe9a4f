//! `%` of numbers that are no small integers: V8 calls `fmod` of the C library, which goes through the quotient bit by bit in older ones
//! (before glibc 2.38), at three times the price of the instruction that V8 had for it before. What hashes or makes random numbers
//! (`seed = (seed * 1103515245 + 12345) % 2147483648`) hardly does anything else. build.rs has the linker send here (`--wrap`) who
//! calls it.

// SAFETY: the C library's, by the name that the linker gives it.
unsafe extern "C" {
    safe fn __real_fmod(dividend: f64, divisor: f64) -> f64;
}

/// Quotients from here on may be wrong by more than one.
const MAX_QUOTIENT: f64 = (1_u64 << 50) as f64;
/// A quotient by a factor of this much over the divisor is not below the true one, however both are rounded.
const ABOVE_ONE: f64 = 1.0 + 2.0 * f64::EPSILON;

#[unsafe(no_mangle)]
extern "C" fn __wrap_fmod(dividend: f64, divisor: f64) -> f64 {
    remainder(dividend, divisor).unwrap_or_else(|| __real_fmod(dividend, divisor))
}

/// The remainder of a division that rounds towards zero, with the sign of the dividend: exact, as that of `fmod` is. `None` where the
/// quotient is no number below `MAX_QUOTIENT`, and on processors without the instruction.
fn remainder(dividend: f64, divisor: f64) -> Option<f64> {
    #[cfg(target_arch = "x86_64")]
    return if std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has the instruction.
        unsafe { remainder_by_fma(dividend, divisor) }
    } else {
        None
    };
    #[cfg(not(target_arch = "x86_64"))]
    fused_remainder(dividend, divisor)
}

/// # Safety
/// The processor has the instruction.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "fma,sse4.1")]
unsafe fn remainder_by_fma(dividend: f64, divisor: f64) -> Option<f64> {
    fused_remainder(dividend, divisor)
}

/// The divisor is mostly a constant, and the dividend made of the remainder before: what is made of the divisor alone is there when the
/// dividend is.
#[inline(always)]
fn fused_remainder(dividend: f64, divisor: f64) -> Option<f64> {
    let (left, by) = (dividend.abs(), divisor.abs());
    if left < by {
        return Some(dividend);
    }
    let factor = ABOVE_ONE / by;
    let quotient = left * factor;
    if quotient.is_nan() || quotient >= MAX_QUOTIENT || factor < f64::MIN_POSITIVE {
        return None;
    }
    // The quotient may be the next integer already: what is left then is below 0. Both are multiples of the last place of `by` and not
    // more than it, so that each is a number, and none is rounded.
    let rest = (-quotient.trunc()).mul_add(by, left);
    Some((if rest < 0.0 { rest + by } else { rest }).copysign(dividend))
}

#[cfg(test)]
mod tests {
    use super::remainder;

    #[track_caller]
    fn check(dividend: f64, divisor: f64) {
        let (ours, theirs) = (remainder(dividend, divisor).unwrap_or(dividend % divisor), dividend % divisor);
        let is_same = ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan());
        assert!(is_same, "{dividend:e} % {divisor:e} is {theirs:e}, not {ours:e}");
    }

    #[test]
    fn the_remainder_is_that_of_the_c_library() {
        let special = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.1,
            0.5,
            3.0,
            f64::MIN_POSITIVE,
            f64::from_bits(1),
            f64::from_bits(0xf_ffff_ffff_ffff),
            f64::EPSILON,
            f64::MAX,
            f64::MIN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            9_007_199_254_740_991.0,
            9_007_199_254_740_992.0,
            9_007_199_254_740_993.0 * 3.0,
            1_000_000_007.0,
            2_147_483_648.0,
        ];
        for dividend in special {
            for divisor in special {
                check(dividend, divisor);
            }
        }
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 33)
        };
        for _ in 0..2_000_000 {
            // Any two numbers, two of about the same size, two integers, and products close to a multiple.
            let (a, b) = (f64::from_bits(random()), f64::from_bits(random()));
            check(a, b);
            let exponent = |bits: u64, by: u64| f64::from_bits((bits & !(0x7ff << 52)) | ((1_023 + by % 60) << 52));
            let (a, b) = (exponent(random(), random()), exponent(random(), random()));
            check(a, b);
            check(a.trunc(), b.trunc());
            let multiple = b * (random() >> 40) as f64;
            check(multiple, b);
            check(multiple.next_down(), b);
            check(multiple.next_up(), b);
            let (quotient, divisor) = ((random() >> 13) as f64, (random() >> 24) as f64);
            check(quotient, divisor);
            check(quotient * divisor, divisor);
            check((quotient * divisor).next_down(), divisor);
            let (tiny, huge) = (f64::from_bits(random() >> 12), f64::MAX / (1.0 + (random() >> 60) as f64));
            check(tiny * 1_000.0, tiny);
            check(f64::MAX, huge);
            check(huge, huge.next_down());
        }
    }
}
