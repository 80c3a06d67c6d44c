//! CPU stand-in for the one type of `cuda-async` that a kernel host file uses.

pub mod device_buffer {
    use core::marker::PhantomData;

    /// A typed address that does not own its memory.
    #[derive(Debug)]
    pub struct DevicePointer<T> {
        address: u64,
        element: PhantomData<*mut T>,
    }

    impl<T> Clone for DevicePointer<T> {
        fn clone(&self) -> Self {
            *self
        }
    }

    impl<T> Copy for DevicePointer<T> {}

    impl<T> DevicePointer<T> {
        /// # Safety
        /// `address` must be that of elements of type `T` which outlive every launch.
        pub unsafe fn from_cu_deviceptr(address: u64) -> Self {
            DevicePointer {
                address,
                element: PhantomData,
            }
        }

        /// The address as a raw pointer.
        pub fn as_mut_ptr(self) -> *mut T {
            self.address as *mut T
        }
    }
}
