//! Macros with which types define the formats of their fields.

/// A struct: its fields, one after the other.
macro_rules! record {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl $crate::encoding::Part for $type {
            fn write(&self, to: &mut $crate::encoding::Writer) {
                $($crate::encoding::Part::write(&self.$field, to);)*
            }

            fn read(from: &mut $crate::encoding::Reader) -> Result<Self, $crate::encoding::Malformed> {
                Ok(Self { $($field: $crate::encoding::Part::read(from)?),* })
            }
        }
    };
}

/// An enum: the tag of the variant, then the fields of the variant.
macro_rules! choice {
    ($type:ident { $($tag:literal $variant:ident $(($($item:ident),*))? $({$($field:ident),*})?),* $(,)? }) => {
        impl $crate::encoding::Part for $type {
            fn write(&self, to: &mut $crate::encoding::Writer) {
                match self {
                    $(Self::$variant $(($($item),*))? $({$($field),*})? => {
                        to.tag($tag);
                        $($($crate::encoding::Part::write($item, to);)*)?
                        $($($crate::encoding::Part::write($field, to);)*)?
                    })*
                }
            }

            fn read(from: &mut $crate::encoding::Reader) -> Result<Self, $crate::encoding::Malformed> {
                Ok(match from.tag()? {
                    $($tag => {
                        $($(let $item = $crate::encoding::Part::read(from)?;)*)?
                        $($(let $field = $crate::encoding::Part::read(from)?;)*)?
                        Self::$variant $(($($item),*))? $({$($field),*})?
                    })*
                    _ => return Err($crate::encoding::Malformed),
                })
            }
        }
    };
}

pub(crate) use {choice, record};
