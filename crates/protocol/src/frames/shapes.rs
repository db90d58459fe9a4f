//! Macros with which types define the formats of their fields.

/// A struct: its fields, one after the other.
macro_rules! record {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl $crate::frames::Part for $type {
            fn write(&self, to: &mut $crate::frames::Writer) {
                $($crate::frames::Part::write(&self.$field, to);)*
            }

            fn read(from: &mut $crate::frames::Reader) -> Result<Self, $crate::frames::Malformed> {
                Ok(Self { $($field: $crate::frames::Part::read(from)?),* })
            }
        }
    };
}

/// An enum: the tag of the variant, then the fields of the variant.
macro_rules! choice {
    ($type:ident { $($tag:literal $variant:ident $(($($item:ident),*))? $({$($field:ident),*})?),* $(,)? }) => {
        impl $crate::frames::Part for $type {
            fn write(&self, to: &mut $crate::frames::Writer) {
                match self {
                    $(Self::$variant $(($($item),*))? $({$($field),*})? => {
                        to.tag($tag);
                        $($($crate::frames::Part::write($item, to);)*)?
                        $($($crate::frames::Part::write($field, to);)*)?
                    })*
                }
            }

            fn read(from: &mut $crate::frames::Reader) -> Result<Self, $crate::frames::Malformed> {
                Ok(match from.tag()? {
                    $($tag => {
                        $($(let $item = $crate::frames::Part::read(from)?;)*)?
                        $($(let $field = $crate::frames::Part::read(from)?;)*)?
                        Self::$variant $(($($item),*))? $({$($field),*})?
                    })*
                    _ => return Err($crate::frames::Malformed),
                })
            }
        }
    };
}

pub(crate) use {choice, record};
