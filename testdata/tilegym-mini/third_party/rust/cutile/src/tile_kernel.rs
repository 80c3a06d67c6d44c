//! The launch of an entry.

pub use cutile_compiler::CompileOptions;

use cuda_core::Stream;
use cutile_compiler::{Generic, constants};

/// Why a launch was refused.
#[derive(Debug)]
pub struct LaunchError(pub String);

/// An entry with its arguments, ready to be configured and run.
pub struct Launch {
    name: &'static str,
    declared: Vec<Generic>,
    generics: Vec<String>,
    grid: (u32, u32, u32),
    options: CompileOptions,
    block: Box<dyn Fn(&[i32])>,
}

impl Launch {
    /// `block` runs one block, given the values of the entry's constants.
    pub fn new(
        name: &'static str,
        declared: Vec<Generic>,
        block: impl Fn(&[i32]) + 'static,
    ) -> Launch {
        Launch {
            name,
            declared,
            generics: Vec::new(),
            grid: (0, 0, 0),
            options: CompileOptions::default(),
            block: Box::new(block),
        }
    }
}

/// Configures and runs a launch.
pub trait TileKernel: Sized {
    /// Values of the generics, in the order of the entry's declaration.
    fn generics(self, values: Vec<String>) -> Self;
    /// Blocks in each direction.
    fn grid(self, blocks: (u32, u32, u32)) -> Self;
    /// Options of the compilation.
    fn compile_options(self, options: CompileOptions) -> Self;
    /// Runs the launch and waits for its end.
    fn sync_on(self, stream: &Stream) -> Result<(), LaunchError>;
}

impl TileKernel for Launch {
    fn generics(mut self, values: Vec<String>) -> Self {
        self.generics = values;
        self
    }

    fn grid(mut self, blocks: (u32, u32, u32)) -> Self {
        self.grid = blocks;
        self
    }

    fn compile_options(mut self, options: CompileOptions) -> Self {
        self.options = options;
        self
    }

    fn sync_on(self, _stream: &Stream) -> Result<(), LaunchError> {
        self.options.validate().map_err(LaunchError)?;
        let constants = constants(&self.declared, &self.generics).map_err(LaunchError)?;
        if self.grid.0 == 0 || self.grid.1 == 0 || self.grid.2 == 0 {
            return Err(LaunchError(format!(
                "grid {:?}: expected at least one block in each direction",
                self.grid
            )));
        }
        cutile_ir::launch(self.name, self.grid, || (self.block)(&constants));
        Ok(())
    }
}
