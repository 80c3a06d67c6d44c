//! 16-bit floats, rounded to nearest even.

use crate::ElementType;

/// IEEE 754 binary16.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct f16(pub u16);

/// The upper half of an f32.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct bf16(pub u16);

impl ElementType for f16 {
    const NAME: &'static str = "f16";

    fn from_f32(value: f32) -> f16 {
        let bits = value.to_bits();
        let sign = ((bits >> 16) & 0x8000) as u16;
        let magnitude = bits & 0x7fff_ffff;
        if magnitude > 0x7f80_0000 {
            return f16(sign | 0x7e00);
        }
        if magnitude >= 0x477f_f000 {
            return f16(sign | 0x7c00);
        }
        // Below 2^-14 the spacing is fixed at 2^-24: adding 0.5 rounds to it.
        if magnitude < 0x3880_0000 {
            let shifted = f32::from_bits(magnitude) + 0.5;
            return f16(sign | (shifted.to_bits() - 0.5f32.to_bits()) as u16);
        }
        let odd = (magnitude >> 13) & 1;
        let rounded = magnitude + 0xfff + odd - ((127 - 15) << 23);
        f16(sign | (rounded >> 13) as u16)
    }

    fn to_f32(self) -> f32 {
        let sign = u32::from(self.0 & 0x8000) << 16;
        let exponent = u32::from(self.0 >> 10) & 0x1f;
        let fraction = u32::from(self.0 & 0x3ff);
        let magnitude = match exponent {
            0 => (fraction as f32 / 16_777_216.0).to_bits(),
            31 => 0x7f80_0000 | (fraction << 13),
            e => ((e + 127 - 15) << 23) | (fraction << 13),
        };
        f32::from_bits(sign | magnitude)
    }
}

impl ElementType for bf16 {
    const NAME: &'static str = "bf16";

    fn from_f32(value: f32) -> bf16 {
        let bits = value.to_bits();
        if value.is_nan() {
            return bf16((bits >> 16) as u16 | 0x40);
        }
        let odd = (bits >> 16) & 1;
        bf16(((bits + 0x7fff + odd) >> 16) as u16)
    }

    fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_survives_the_way_through_f32() {
        for bits in 0..=u16::MAX {
            let wide = f16(bits).to_f32();
            if !wide.is_nan() {
                assert_eq!(f16::from_f32(wide).0, bits);
            }
        }
    }

    #[test]
    fn every_bf16_survives_the_way_through_f32() {
        for bits in 0..=u16::MAX {
            let wide = bf16(bits).to_f32();
            if !wide.is_nan() {
                assert_eq!(bf16::from_f32(wide).0, bits);
            }
        }
    }

    #[test]
    fn ties_go_to_even() {
        assert_eq!(f16::from_f32(1.0 + 1.0 / 2048.0).0, 0x3c00);
        assert_eq!(f16::from_f32(1.0 + 3.0 / 2048.0).0, 0x3c02);
        assert_eq!(f16::from_f32(65520.0).0, 0x7c00);
        assert_eq!(bf16::from_f32(1.0 + 1.0 / 256.0).0, 0x3f80);
    }
}
