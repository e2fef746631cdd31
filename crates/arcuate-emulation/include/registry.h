// The table of kernels: name, sizes of the parameters, and a function that calls the kernel with pointers to
// its parameters.
#pragma once

#include <cstddef>
#include <utility>

namespace arcuate_emulation {

struct Parameter {
    std::size_t offset; // offset in the packed parameters, as in the layout of the CUDA compiler
    std::size_t bytes;
    bool pointer;
};

struct Kernel {
    const char* name;
    const char* space; // namespace around the file of the kernel, chosen by build.rs
    const char* file;
    const Parameter* parameters;
    std::size_t parameter_count;
    void (*call)(void* const* arguments);
    const Kernel* next;
};

void add_kernel(Kernel& kernel);

template <class Type>
struct IsPointer {
    static constexpr bool value = false;
};
template <class Type>
struct IsPointer<Type*> {
    static constexpr bool value = true;
};

template <auto FUNCTION>
struct Launcher;

template <class... Types, void (*FUNCTION)(Types...)>
struct Launcher<FUNCTION> {
    struct Layout {
        Parameter parameters[sizeof...(Types) + 1] = {};
        constexpr Layout()
        {
            std::size_t count = 0, end = 0;
            ((end = (end + alignof(Types) - 1) / alignof(Types) * alignof(Types),
              parameters[count++] = {end, sizeof(Types), IsPointer<Types>::value}, end += sizeof(Types)),
             ...);
            (void)end;
            (void)count;
        }
    };
    static constexpr Layout layout{};

    template <std::size_t... AT>
    static void spread(void* const* arguments, std::index_sequence<AT...>)
    {
        (void)arguments;
        FUNCTION(*static_cast<const Types*>(arguments[AT])...);
    }

    static void call(void* const* arguments) { spread(arguments, std::index_sequence_for<Types...>{}); }

    static Kernel kernel(const char* name, const char* space, const char* file)
    {
        return {name, space, file, layout.parameters, sizeof...(Types), call, nullptr};
    }
};

struct Registration {
    explicit Registration(Kernel kernel) : kernel_(kernel) { add_kernel(kernel_); }
    Registration(const Registration&) = delete;

private:
    Kernel kernel_;
};

} // namespace arcuate_emulation
