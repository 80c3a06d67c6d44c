//! CPU stand-in for what a launch hands to the JIT compiler: options, which
//! have no effect on the CPU, and the values of the kernel's generics.

/// Options of one compilation; a value that is not set is the compiler's choice.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions {
    occupancy: Option<i32>,
    num_cta_in_cga: Option<i32>,
}

impl CompileOptions {
    /// Blocks that one multiprocessor is to hold.
    pub fn occupancy(mut self, blocks: i32) -> Self {
        self.occupancy = Some(blocks);
        self
    }

    /// Blocks in one cluster.
    pub fn num_cta_in_cga(mut self, blocks: i32) -> Self {
        self.num_cta_in_cga = Some(blocks);
        self
    }

    /// Reports an option that no GPU would take.
    pub fn validate(&self) -> Result<(), String> {
        for (name, value) in [
            ("occupancy", self.occupancy),
            ("num_cta_in_cga", self.num_cta_in_cga),
        ] {
            if let Some(n) = value.filter(|n| !(1..=32).contains(n)) {
                return Err(format!("{name}: expected 1 to 32, found {n}"));
            }
        }
        Ok(())
    }
}

/// One generic parameter of an entry, in the order of its declaration.
#[derive(Clone, Copy, Debug)]
pub enum Generic {
    /// An element type that the host call has already fixed.
    Type(&'static str),
    /// A constant of type i32.
    Const(&'static str),
}

/// Checks the values against the entry's generics and returns its constants.
pub fn constants(generics: &[Generic], values: &[String]) -> Result<Vec<i32>, String> {
    if generics.len() != values.len() {
        return Err(format!(
            "generics: expected {} values, found {}",
            generics.len(),
            values.len()
        ));
    }
    let mut found = Vec::new();
    for (generic, value) in generics.iter().zip(values) {
        match generic {
            Generic::Type(name) if *name == value => {}
            Generic::Type(name) => {
                return Err(format!(
                    "generics: the pointers hold {name}, but the type given is {value}"
                ));
            }
            Generic::Const(name) => match value.parse() {
                Ok(n) => found.push(n),
                Err(_) => {
                    return Err(format!(
                        "generics: {name}: expected an integer, found {value:?}"
                    ));
                }
            },
        }
    }
    Ok(found)
}
