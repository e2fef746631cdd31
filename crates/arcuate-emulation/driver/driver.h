// State of the emulated driver, and declarations shared by its files. Types and numbers equal those of the
// CUDA driver API.
#pragma once

#include "launch.h"
#include "program.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#define ARCUATE_EXPORT extern "C" __attribute__((visibility("default")))

namespace arcuate_emulation {

using Result = int;
using Address = unsigned long long; // CUdeviceptr

enum : Result {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    no_device = 100,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    no_binary_for_gpu = 209,
    peer_access_unsupported = 217,
    invalid_ptx = 218,
    unsupported_ptx_version = 222,
    file_not_found = 301,
    invalid_handle = 400,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    peer_access_already_enabled = 704,
    peer_access_not_enabled = 705,
    host_memory_already_registered = 712,
    host_memory_not_registered = 713,
    launch_failed = 719,
    not_supported = 801,
};

struct Device;
struct Stream;

// A piece of work of a stream. It may run once all earlier work of the stream and all work in `after` is
// done.
struct Work {
    std::function<Result()> run;
    std::vector<std::shared_ptr<Work>> after;
    Stream* stream = nullptr;
    bool done = false;
    std::chrono::steady_clock::time_point finished;
};

struct Stream {
    Device* device = nullptr;
    bool blocking = true; // true if the stream and the null stream wait for each other
    std::deque<std::shared_ptr<Work>> queue;
    std::shared_ptr<Work> last;
};

struct Event {
    Device* device = nullptr;
    bool timed = true;
    std::shared_ptr<Work> recorded;
};

struct Module;

struct Function {
    Module* module = nullptr;
    const Kernel* kernel = nullptr;
    const ptx::Program* written = nullptr; // program of a kernel that is interpreted, or null
    std::size_t most_dynamic_shared = 48 << 10;
};

struct Module {
    Device* device = nullptr;
    std::string image;
    bool binary = false;
    std::vector<std::unique_ptr<ptx::Program>> written; // programs of the interpreted kernels
    std::map<std::string, std::unique_ptr<Function>> functions;
};

struct Allocation {
    std::size_t bytes = 0;
    Device* device = nullptr; // null for page-locked host memory
    unsigned char* raw = nullptr; // start of the allocation with its guards; null for memory that the host allocated
    bool being_freed = false;
};

// A device with its primary context. A pointer to the device serves as the handle of the context.
struct Device {
    int ordinal = 0;
    int capability = 90;
    std::size_t used = 0;
    unsigned references = 0;
    Result broken = success; // error that every call returns after a failed launch
    std::set<const Device*> peers; // devices whose memory kernels of this device may use
    Stream null_stream;
};

// Live handles of one kind, for the detection of stale handles.
template <class T>
class Handles {
public:
    T* add(std::unique_ptr<T> object)
    {
        T* handle = object.get();
        live_.emplace(handle, std::move(object));
        return handle;
    }
    bool has(const T* handle) const { return live_.count(const_cast<T*>(handle)) > 0; }
    void remove(T* handle) { live_.erase(handle); }
    const std::map<T*, std::unique_ptr<T>>& all() const { return live_; }

private:
    std::map<T*, std::unique_ptr<T>> live_;
};

struct Faults {
    std::int64_t allocations_until_failure = -1; // negative if no failure is requested
    std::size_t memory_limit = SIZE_MAX;
    std::string failing_kernel; // empty for any kernel
    std::uint64_t launches_until_failure = 0; // 0 if no failure is requested
    std::uint64_t calls_until_answer = 0; // number of calls that need a context until `answer` is returned; 0 if not requested
    Result answer = success;
};

struct Driver {
    Driver();

    std::recursive_mutex mutex;
    bool initialized = false;
    int version = 12040;
    std::size_t memory = std::size_t(1) << 30;
    std::uint64_t order_seed = 1;
    Order order;
    std::vector<std::unique_ptr<Device>> devices;
    std::map<Address, Allocation> allocations;
    Handles<Stream> streams;
    Handles<Event> events;
    Handles<Module> modules;
    Faults faults;
    std::string report;
    std::string broken_kernel; // kernel whose launches all fail; empty if none
    std::string idle_kernel; // kernel whose launches succeed without any effect; empty if none
    std::string log_of_launches; // path of the log of launched kernels; empty if no log is written
    std::set<std::string> launched_kernels;
    bool may_fall_back = false; // true if the test has announced that the CPU may repeat work that fails on the GPU

    std::size_t memory_of_device() const { return std::min(memory, faults.memory_limit); }
    bool is_function(const Function* function) const;
};

Driver& driver();

// Contexts that the calling thread has made current. The last one is the current context.
std::vector<Device*>& context_stack();

// Common first step of every call that needs a context.
struct Entry {
    std::unique_lock<std::recursive_mutex> lock;
    Device* device = nullptr;
    Result result = success;
    Entry();
};
#define ARCUATE_ENTER                                                                                                  \
    const Entry entry;                                                                                                 \
    if (entry.result != success) return entry.result

// Reports an error of a test's kernel or call to the user, and stores the report for `last_report`.
void report(const std::string& what);

// Name of a kernel and the file that contains it.
struct NamedKernel {
    std::string name, file;
};
std::vector<NamedKernel> named_kernels();
bool is_kernel(const std::string& name);

// ---- streams

// Returns the stream of a handle. Null, 1 and 2 are the null stream. Returns null for an unknown handle.
Stream* stream_of(void* handle, Device* current);
Result enqueue(Stream& stream, std::function<Result()> run, std::shared_ptr<Work>* work = nullptr);
// Runs the work of the stream up to `work`, or all of it if `work` is null.
void drain(Stream& stream, const Work* work = nullptr);
void drain_device(Device& device);

// ---- memory

// Returns the live allocation that contains the `bytes` bytes beginning at `start`, or null. With `for_earlier_work`,
// an allocation counts as live until its stream frees it.
const Allocation* find_range(Address start, std::size_t bytes, bool for_earlier_work = false);
// Returns a description of the first damaged guard, or an empty string. A write outside an allocation damages
// a guard.
std::string damaged_guard();
void forget_memory_of(Device& device);

} // namespace arcuate_emulation
