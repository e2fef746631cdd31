// Modules, their functions, and launches with the checks that a GPU performs.

#include "allocations.h"
#include "driver.h"
#include "parser.h"
#include "shared_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

namespace arcuate_emulation {

bool Driver::is_function(const Function* function) const
{
    for (const auto& [handle, module] : modules.all()) {
        for (const auto& [name, known] : module->functions) {
            if (known.get() == function) return true;
        }
    }
    return false;
}

namespace {

constexpr std::size_t usual_shared = 48 << 10, most_shared = 227 << 10;

std::size_t elf_bytes(const unsigned char* image)
{
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    std::size_t end = std::max(header.e_shoff + std::size_t(header.e_shnum) * header.e_shentsize,
                               header.e_phoff + std::size_t(header.e_phnum) * header.e_phentsize);
    for (unsigned at = 0; at < header.e_shnum; ++at) {
        Elf64_Shdr section;
        std::memcpy(&section, image + header.e_shoff + std::size_t(at) * header.e_shentsize, sizeof section);
        if (section.sh_type != SHT_NOBITS) end = std::max(end, std::size_t(section.sh_offset + section.sh_size));
    }
    return end;
}

// Returns the number after `word` at the beginning of a line, such as 8.4 or 75. Returns -1 if the word is
// missing.
double number_after(const std::string& text, const std::string& word)
{
    const std::size_t at = text.find("\n" + word);
    return at == std::string::npos ? -1.0 : std::atof(text.c_str() + at + 1 + word.size());
}

Result check_image(const Module& module)
{
    const int capability = module.device->capability;
    if (module.binary) {
        Elf64_Ehdr header;
        std::memcpy(&header, module.image.data(), sizeof header);
        constexpr unsigned machine_cuda = 190;
        if (header.e_machine != machine_cuda) return invalid_image;
        // A binary runs on devices of its major version whose minor version is not lower.
        const int built_for = static_cast<int>(header.e_flags & 0xff);
        return built_for / 10 == capability / 10 && built_for <= capability ? success : no_binary_for_gpu;
    }
    const double version = number_after("\n" + module.image, ".version "), target = number_after(module.image, ".target sm_");
    if (version < 0 || target < 0) return invalid_image;
    // CUDA 12.x introduced PTX 8.x.
    if (version * 10 > (driver().version / 1000 - 4) * 10 + driver().version % 1000 / 10 + 1e-6) return unsupported_ptx_version;
    return target <= capability ? success : no_binary_for_gpu;
}

// Reads the kernels of a module that no kernels.cu contains, as the driver's assembler would do.
Result read_written(Module& module, std::string& complaint)
{
    const std::vector<std::string> names = ptx::entries_of(module.image);
    if (std::all_of(names.begin(), names.end(), [](const std::string& name) { return find_kernel(name) != nullptr; })) {
        return success;
    }
    // Tests could not break a kernel with an unknown name. The module is therefore not read, and a request
    // for the kernel fails.
    if (!std::all_of(names.begin(), names.end(), is_kernel)) return success;
    ptx::Parsed parsed = ptx::parse(module.image);
    module.written = std::move(parsed.programs);
    complaint = parsed.complaint;
    return complaint.empty() ? success : invalid_ptx;
}

// Loads a module. `complaint` receives the error message of the assembler.
Result load(Module** handle, const void* image, std::string& complaint)
{
    ARCUATE_ENTER;
    if (handle == nullptr || image == nullptr) return invalid_value;
    auto module = std::make_unique<Module>();
    module->device = entry.device;
    const auto* bytes = static_cast<const unsigned char*>(image);
    module->binary = std::memcmp(bytes, ELFMAG, SELFMAG) == 0;
    if (module->binary) module->image.assign(static_cast<const char*>(image), elf_bytes(bytes));
    else module->image = static_cast<const char*>(image);
    if (const Result result = check_image(*module)) {
        if (result == unsupported_ptx_version) complaint = "ptxas: unsupported .version";
        return result;
    }
    if (!module->binary) {
        if (const Result result = read_written(*module, complaint)) return result;
    }
    *handle = driver().modules.add(std::move(module));
    return success;
}

const ptx::Program* find_written(const Module& module, const std::string& name)
{
    for (const auto& program : module.written) {
        if (program->name == name) return program.get();
    }
    return nullptr;
}

bool has_kernel(const Module& module, const std::string& name)
{
    if (!module.written.empty()) return find_written(module, name) != nullptr;
    if (module.binary) return module.image.find(std::string(".text.") + name + '\0') != std::string::npos;
    return module.image.find(".entry " + name + "(") != std::string::npos ||
           module.image.find(".entry " + name + "\n") != std::string::npos;
}

// Describes a pointer parameter that does not point to memory of the device, or returns an empty string.
std::string wrong_pointer(const Kernel& kernel, const Device& device, void* const* arguments)
{
    for (std::size_t at = 0; at < kernel.parameter_count; ++at) {
        if (!kernel.parameters[at].pointer) continue;
        Address address;
        std::memcpy(&address, arguments[at], sizeof address);
        if (address == 0) continue;
        const Allocation* found = find_range(address, 0, true);
        const std::string parameter = "kernel " + std::string(kernel.name) + ", parameter " + std::to_string(at) + " ";
        if (found == nullptr) return parameter + "points to memory that is no device's (any more)";
        if (found->device != nullptr && found->device != &device && device.peers.count(found->device) == 0) {
            return parameter + "points to memory of device " + std::to_string(found->device->ordinal) +
                   ", to which device " + std::to_string(device.ordinal) + " has no access";
        }
    }
    return "";
}

bool is_broken(const Kernel& kernel) { return driver().broken_kernel == kernel.name; }

bool is_idle(const Kernel& kernel) { return driver().idle_kernel == kernel.name; }

std::size_t static_shared_of(const Function& function)
{
    return function.written != nullptr ? function.written->shared_bytes : static_shared_bytes(function.kernel);
}

int most_threads_of(const Function& function)
{
    return function.written != nullptr ? static_cast<int>(function.written->most_threads) : 1024;
}

// Returns the memory that kernels of the device may use at the time of a launch.
ptx::Memory memory_for(const Device& device)
{
    static std::uint64_t number = 0;
    std::vector<ptx::Allocated> allocations;
    for (const auto& [start, allocation] : driver().allocations) {
        const Device* owner = allocation.device;
        if (owner == nullptr || owner == &device || device.peers.count(owner) > 0) allocations.push_back({start, allocation.bytes});
    }
    return {++number, std::move(allocations)};
}

// Returns the size of a kernel's packed parameters in bytes.
std::size_t end_of_parameters(const Kernel& kernel)
{
    if (kernel.parameter_count == 0) return 0;
    const Parameter& last = kernel.parameters[kernel.parameter_count - 1];
    return last.offset + last.bytes;
}

// Adds the kernel to the log at its first launch.
void note_launch(const Kernel& kernel)
{
    Driver& all = driver();
    if (all.log_of_launches.empty() || !all.launched_kernels.insert(kernel.name).second) return;
    const std::string line = (all.may_fall_back ? "fallback allowed\n" : "") + std::string(kernel.name) + "\n";
    // The line is written by one call, because other processes may write to the file too.
    const int file = open(all.log_of_launches.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const bool written = file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    if (file >= 0) close(file);
    if (written) return;
    std::fprintf(stderr, "arcuate-emulation: ARCUATE_EMULATION_LAUNCHES=%s cannot be written\n", all.log_of_launches.c_str());
    std::exit(1);
}

bool should_fail(const Kernel& kernel)
{
    Faults& faults = driver().faults;
    if (faults.launches_until_failure == 0) return false;
    if (!faults.failing_kernel.empty() && faults.failing_kernel != kernel.name) return false;
    return --faults.launches_until_failure == 0;
}

struct Arguments {
    std::vector<unsigned char> packed;
    std::vector<void*> pointers;
};

std::string run_blocks(const Launch& launch, const Device& device)
{
    if (launch.written == nullptr) return run(launch);
    const ptx::Memory memory = memory_for(device);
    Launch with_memory = launch;
    with_memory.memory = &memory;
    return run(with_memory);
}

Result run_launch(const Launch& launch, const Device& device, const Arguments& arguments)
{
    if (should_fail(*launch.kernel)) {
        report("kernel " + std::string(launch.kernel->name) + " fails on request");
        return launch_failed;
    }
    std::string failure = wrong_pointer(*launch.kernel, device, arguments.pointers.data());
    if (!failure.empty()) {
        report(failure);
        return illegal_address;
    }
    if (is_idle(*launch.kernel)) return success;
    failure = run_blocks(launch, device);
    if (!failure.empty()) {
        report(failure);
        return launch_failed;
    }
    failure = damaged_guard();
    if (!failure.empty()) {
        report("kernel " + std::string(launch.kernel->name) + " " + failure);
        return illegal_address;
    }
    return success;
}

// Packs the arguments of a launch, which are given as one pointer for each parameter or as one buffer.
Result take_arguments(const Kernel& kernel, void** parameters, void** extra, Arguments& out)
{
    const Parameter* layout = kernel.parameters;
    const std::size_t count = kernel.parameter_count;
    out.packed.resize(end_of_parameters(kernel));
    if (parameters != nullptr) {
        for (std::size_t at = 0; at < count; ++at) {
            if (parameters[at] == nullptr) return invalid_value;
            std::memcpy(out.packed.data() + layout[at].offset, parameters[at], layout[at].bytes);
        }
    } else if (extra != nullptr) {
        // `extra` has pairs of a name and a value: 1 is the buffer, 2 a pointer to its size, and 0 the end.
        const void* buffer = nullptr;
        std::size_t bytes = 0;
        for (; *extra != nullptr; extra += 2) {
            if (reinterpret_cast<std::uintptr_t>(extra[0]) == 1) buffer = extra[1];
            else if (reinterpret_cast<std::uintptr_t>(extra[0]) == 2) bytes = *static_cast<const std::size_t*>(extra[1]);
            else return invalid_value;
        }
        if (buffer == nullptr || bytes < out.packed.size()) return invalid_value;
        std::memcpy(out.packed.data(), buffer, out.packed.size());
    } else if (count > 0) {
        return invalid_value;
    }
    return success;
}

} // namespace
} // namespace arcuate_emulation

using namespace arcuate_emulation;

ARCUATE_EXPORT Result cuModuleLoadData(Module** module, const void* image)
{
    std::string complaint;
    const Result result = load(module, image, complaint);
    if (!complaint.empty()) report(complaint);
    return result;
}

ARCUATE_EXPORT Result cuModuleLoadDataEx(Module** module, const void* image, unsigned count, const int* options, void** values)
{
    std::string complaint;
    const Result result = load(module, image, complaint);
    // Option 5 is the buffer for error messages of the compiler. Option 6 is its size, and returns the number
    // of bytes written.
    char* log = nullptr;
    std::size_t bytes = 0, size_at = count;
    for (unsigned at = 0; at < count; ++at) {
        if (options[at] == 5) log = static_cast<char*>(values[at]);
        if (options[at] == 6) {
            bytes = reinterpret_cast<std::uintptr_t>(values[at]);
            size_at = at;
        }
    }
    if (log != nullptr && bytes > 0) {
        const std::size_t length = std::min(complaint.size(), bytes - 1);
        std::memcpy(log, complaint.c_str(), length);
        log[length] = 0;
        if (size_at < count) values[size_at] = reinterpret_cast<void*>(static_cast<std::uintptr_t>(length));
    }
    return result;
}

ARCUATE_EXPORT Result cuModuleUnload(Module* module)
{
    ARCUATE_ENTER;
    if (!driver().modules.has(module)) return invalid_handle;
    drain_device(*module->device);
    driver().modules.remove(module);
    return success;
}

ARCUATE_EXPORT Result cuModuleGetFunction(Function** handle, Module* module, const char* name)
{
    ARCUATE_ENTER;
    if (handle == nullptr || name == nullptr || *name == 0) return invalid_value;
    if (!driver().modules.has(module)) return invalid_handle;
    if (!has_kernel(*module, name)) return not_found;
    auto& function = module->functions[name];
    if (function == nullptr) {
        const ptx::Program* written = find_written(*module, name);
        const Kernel* kernel = written != nullptr ? &written->kernel : find_kernel(name);
        if (kernel == nullptr) {
            module->functions.erase(name);
            report("the image has a kernel " + std::string(name) + " that no kernels.cu of the workspace has, nor driver/written_kernels.inc");
            return not_found;
        }
        function = std::make_unique<Function>();
        function->module = module;
        function->kernel = kernel;
        function->written = written;
        function->most_dynamic_shared = usual_shared - std::min(usual_shared, static_shared_of(*function));
    }
    *handle = function.get();
    return success;
}

ARCUATE_EXPORT Result cuFuncGetParamInfo(Function* function, std::size_t index, std::size_t* offset, std::size_t* bytes)
{
    ARCUATE_ENTER;
    if (!driver().is_function(function)) return invalid_handle;
    const Kernel& kernel = *function->kernel;
    // A broken kernel has one parameter more than its callers pass.
    const std::size_t count = kernel.parameter_count + (is_broken(kernel) ? 1 : 0);
    if (offset == nullptr || index >= count) return invalid_value;
    const Parameter beyond{end_of_parameters(kernel), 1, false};
    const Parameter& parameter = index < kernel.parameter_count ? kernel.parameters[index] : beyond;
    *offset = parameter.offset;
    if (bytes != nullptr) *bytes = parameter.bytes;
    return success;
}

ARCUATE_EXPORT Result cuFuncGetName(const char** name, Function* function)
{
    ARCUATE_ENTER;
    if (!driver().is_function(function)) return invalid_handle;
    if (name == nullptr) return invalid_value;
    *name = function->kernel->name;
    return success;
}

ARCUATE_EXPORT Result cuFuncGetAttribute(int* value, int attribute, Function* function)
{
    ARCUATE_ENTER;
    if (!driver().is_function(function)) return invalid_handle;
    if (value == nullptr) return invalid_value;
    switch (attribute) {
    case 0: *value = most_threads_of(*function); break;
    case 1: *value = static_cast<int>(static_shared_of(*function)); break;
    case 3: *value = function->written != nullptr ? static_cast<int>(function->written->local_bytes) : 0; break;
    case 4: *value = 32; break; // number of registers, not known here
    case 5: *value = 84; break; // PTX version
    case 6: *value = function->module->device->capability; break;
    case 8: *value = static_cast<int>(function->most_dynamic_shared); break;
    case 9: *value = -1; break; // no preference
    case 2: case 7: *value = 0; break; // constants, cache mode
    default: return invalid_value;
    }
    return success;
}

ARCUATE_EXPORT Result cuFuncSetAttribute(Function* function, int attribute, int value)
{
    ARCUATE_ENTER;
    if (!driver().is_function(function)) return invalid_handle;
    switch (attribute) {
    case 8:
        if (value < 0 || static_cast<std::size_t>(value) + static_shared_of(*function) > most_shared) {
            return invalid_value;
        }
        function->most_dynamic_shared = static_cast<std::size_t>(value);
        return success;
    case 9: return value >= -1 && value <= 100 ? success : invalid_value;
    default: return invalid_value;
    }
}

ARCUATE_EXPORT Result cuFuncSetCacheConfig(Function* function, int)
{
    ARCUATE_ENTER;
    return driver().is_function(function) ? success : invalid_handle;
}

ARCUATE_EXPORT Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Function* function, int threads,
                                                                           std::size_t dynamic, unsigned)
{
    ARCUATE_ENTER;
    if (!driver().is_function(function)) return invalid_handle;
    if (blocks == nullptr || threads <= 0 || threads > 1024) return invalid_value;
    const std::size_t shared = static_shared_of(*function) + dynamic;
    if (dynamic > function->most_dynamic_shared) {
        *blocks = 0;
        return success;
    }
    const int by_threads = 2048 / ((threads + 31) / 32 * 32);
    const int by_shared = static_cast<int>((std::size_t(228) << 10) / (shared + 1024));
    *blocks = std::min({32, by_threads, by_shared});
    return success;
}

ARCUATE_EXPORT Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* function, int threads,
                                                                  std::size_t dynamic)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic, 0);
}

ARCUATE_EXPORT Result cuLaunchKernel(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                     unsigned block_y, unsigned block_z, unsigned dynamic, void* stream_handle,
                                     void** parameters, void** extra)
{
    ARCUATE_ENTER;
    if (!driver().is_function(function)) return invalid_handle;
    Stream* stream = stream_of(stream_handle, entry.device);
    if (stream == nullptr || stream->device != function->module->device) return invalid_handle;
    if (grid_x == 0 || grid_y == 0 || grid_z == 0 || block_x == 0 || block_y == 0 || block_z == 0) return invalid_value;
    if (grid_x > 2147483647u || grid_y > 65535 || grid_z > 65535) return invalid_value;
    if (block_x > 1024 || block_y > 1024 || block_z > 64 || std::uint64_t(block_x) * block_y * block_z > 1024) {
        return invalid_value;
    }
    if (dynamic > function->most_dynamic_shared) return invalid_value;
    if (block_x * block_y * block_z > static_cast<unsigned>(most_threads_of(*function))) return invalid_value;
    const Kernel& kernel = *function->kernel;
    note_launch(kernel);
    if (is_broken(kernel)) {
        report("kernel " + std::string(kernel.name) + " is broken on request");
        return launch_failed;
    }
    auto arguments = std::make_shared<Arguments>();
    if (const Result result = take_arguments(kernel, parameters, extra, *arguments)) return result;
    for (std::size_t at = 0; at < kernel.parameter_count; ++at) {
        arguments->pointers.push_back(arguments->packed.data() + kernel.parameters[at].offset);
    }
    const Launch launch{&kernel,
                        {grid_x, grid_y, grid_z},
                        {block_x, block_y, block_z},
                        dynamic,
                        arguments->pointers.data(),
                        driver().order_seed,
                        function->written,
                        nullptr};
    const Device* device = stream->device;
    return enqueue(*stream, [launch, arguments, device] { return run_launch(launch, *device, *arguments); });
}
