//! The bytes that a place denotes, and the number that a value denotes.

use super::layout::{SPACING, VARIABLES, objects};
use super::{Expression, Operand, Part, REGISTERS};
use crate::event::{ByteRange, Object, ObjectKind};

impl Operand {
    pub(super) fn number(self, registers: &[u64; REGISTERS]) -> u64 {
        u64::from(self.base) + self.index.map_or(0, |register| registers[register as usize])
    }

    pub(super) fn range(self, registers: &[u64; REGISTERS]) -> ByteRange {
        let start = VARIABLES + 8 * self.number(registers);
        match self.part {
            Part::Whole => ByteRange { start, len: 8 },
            Part::Low => ByteRange { start, len: 4 },
            Part::High => ByteRange { start: start + 4, len: 4 },
            Part::Two => ByteRange { start, len: 16 },
        }
    }

    pub(super) fn object(self, kind: ObjectKind, registers: &[u64; REGISTERS]) -> Object {
        Object(objects(kind) + SPACING * self.number(registers))
    }

    pub(super) fn read(self, variables: &[u64]) -> u64 {
        match self.part {
            Part::Whole => variables[0],
            Part::Low => variables[0] & 0xFFFF_FFFF,
            Part::High => variables[0] >> 32,
            Part::Two => variables[0].wrapping_add(variables[1]),
        }
    }

    pub(super) fn write(self, variables: &mut [u64], value: u64) {
        match self.part {
            Part::Whole => variables[0] = value,
            Part::Low => variables[0] = variables[0] >> 32 << 32 | value & 0xFFFF_FFFF,
            Part::High => variables[0] = variables[0] & 0xFFFF_FFFF | value << 32,
            Part::Two => variables[..2].fill(value),
        }
    }
}

impl Expression {
    pub(super) fn of(self, registers: &[u64; REGISTERS]) -> u64 {
        match self {
            Expression::Constant(value) => value,
            Expression::Register(register, plus) => registers[register as usize].wrapping_add(plus),
            Expression::Modulo(register, plus, modulo) => registers[register as usize].wrapping_add(plus) % modulo,
        }
    }
}
