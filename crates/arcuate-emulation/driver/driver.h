// The state behind the stand-in driver, and what its files share. Types and numbers are those of the CUDA driver API.
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

// One thing that a stream does, once everything before it in its stream and everything in `after` is done.
struct Work {
    std::function<Result()> run;
    std::vector<std::shared_ptr<Work>> after;
    Stream* stream = nullptr;
    bool done = false;
    std::chrono::steady_clock::time_point finished;
};

struct Stream {
    Device* device = nullptr;
    bool blocking = true; // waits for the null stream, and it for this one
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
    const ptx::Program* written = nullptr; // of a kernel that is interpreted
    std::size_t most_dynamic_shared = 48 << 10;
};

struct Module {
    Device* device = nullptr;
    std::string image;
    bool binary = false;
    std::vector<std::unique_ptr<ptx::Program>> written; // the kernels, where they are interpreted
    std::map<std::string, std::unique_ptr<Function>> functions;
};

struct Allocation {
    std::size_t bytes = 0;
    Device* device = nullptr; // null: page-locked host memory
    unsigned char* raw = nullptr; // what was allocated, guards included; null where the host allocated
    bool being_freed = false;
};

// A device and its primary context; contexts are named by pointers to it.
struct Device {
    int ordinal = 0;
    int capability = 90;
    std::size_t used = 0;
    unsigned references = 0;
    Result broken = success; // what every call answers after a launch has failed
    std::set<const Device*> peers; // whose memory kernels here may use
    Stream null_stream;
};

// Live handles of one kind, so that stale ones are told.
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
    std::int64_t allocations_until_failure = -1; // negative: none is asked for
    std::size_t memory_limit = SIZE_MAX;
    std::string failing_kernel; // empty: any
    std::uint64_t launches_until_failure = 0; // 0: none is asked for
    std::uint64_t calls_until_answer = 0; // of calls that need a context; 0: none is asked for
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
    std::string broken_kernel; // none of its launches succeeds; empty: none
    std::string idle_kernel; // its launches succeed and do nothing; empty: none
    std::string log_of_launches; // a file; empty: none is kept
    std::set<std::string> launched_kernels;
    bool may_fall_back = false; // as the test has said: what fails here is then done elsewhere

    std::size_t memory_of_device() const { return std::min(memory, faults.memory_limit); }
    bool is_function(const Function* function) const;
};

Driver& driver();

// Contexts that the calling thread has made current, the last one being the current.
std::vector<Device*>& context_stack();

// What every call that needs a context begins with.
struct Entry {
    std::unique_lock<std::recursive_mutex> lock;
    Device* device = nullptr;
    Result result = success;
    Entry();
};
#define ARCUATE_ENTER                                                                                                  \
    const Entry entry;                                                                                                 \
    if (entry.result != success) return entry.result

// Says to the user what a test's kernel or call did wrong, and keeps it for `last_report`.
void report(const std::string& what);

// A kernel's name, and the file that it is in.
struct NamedKernel {
    std::string name, file;
};
std::vector<NamedKernel> named_kernels();
bool is_kernel(const std::string& name);

// ---- streams

// The stream of a handle, the null stream for null, 1 and 2; null where there is no such stream.
Stream* stream_of(void* handle, Device* current);
Result enqueue(Stream& stream, std::function<Result()> run, std::shared_ptr<Work>* work = nullptr);
// Runs the stream until `work` is done, or everything.
void drain(Stream& stream, const Work* work = nullptr);
void drain_device(Device& device);

// ---- memory

// The live allocation that holds `bytes` from `start` on, or null. One that a stream will free is live for the work that
// comes before that.
const Allocation* find_range(Address start, std::size_t bytes, bool for_earlier_work = false);
// What a write beside an allocation left behind, or nothing.
std::string damaged_guard();
void forget_memory_of(Device& device);

} // namespace arcuate_emulation
