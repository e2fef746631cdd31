#include "launch.h"

#include "interpreter.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <thread>

namespace arcuate_emulation {
namespace {

const Kernel*& first_kernel()
{
    static const Kernel* first = nullptr;
    return first;
}

// More workers would exceed the limit on memory mappings: every thread of a block has a stack with a guard
// page.
constexpr unsigned most_workers = 8;

class Pool {
public:
    Pool()
    {
        unsigned count = std::thread::hardware_concurrency();
        if (const char* asked = std::getenv("ARCUATE_EMULATION_THREADS")) count = static_cast<unsigned>(std::atoi(asked));
        count = std::clamp(count, 1u, most_workers);
        for (unsigned worker = 0; worker < count; ++worker) std::thread([this] { work(); }).detach();
        workers_ = count;
    }

    std::string run(const Launch& launch)
    {
        std::unique_lock lock(mutex_);
        launch_ = &launch;
        blocks_ = std::uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
        // A stride other than 1 visits the blocks in another order. A stride without a common divisor with
        // their number visits all of them.
        Order order(launch.order, blocks_);
        stride_ = 1;
        start_ = 0;
        if (!order.natural() && blocks_ > 2) {
            do stride_ = 1 + order.below(blocks_ - 1);
            while (std::gcd(stride_, blocks_) != 1);
            start_ = order.below(blocks_);
        }
        next_ = 0;
        failed_ = false;
        failure_.clear();
        busy_ = static_cast<unsigned>(std::min<std::uint64_t>(workers_, blocks_));
        calls_ = busy_;
        wake_.notify_all();
        done_.wait(lock, [this] { return busy_ == 0; });
        launch_ = nullptr;
        return failure_;
    }

private:
    void work()
    {
        Block block;
        ptx::Interpreter interpreter;
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return calls_ > 0; });
            --calls_;
            lock.unlock();
            std::string failure;
            for (std::uint64_t turn; !failed_ && (turn = next_++) < blocks_;) {
                const auto number = static_cast<std::uint64_t>(
                    (static_cast<unsigned __int128>(turn) * stride_ + start_) % blocks_);
                const Index& grid = launch_->grid;
                const Index index{static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                                  static_cast<unsigned>(number / grid.x / grid.y)};
                failure = launch_->written != nullptr ? interpreter.run(*launch_, index) : block.run(*launch_, index);
                if (!failure.empty()) failed_ = true;
            }
            lock.lock();
            if (!failure.empty() && failure_.empty()) failure_ = failure;
            if (--busy_ == 0) done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    unsigned workers_ = 0, calls_ = 0, busy_ = 0;
    const Launch* launch_ = nullptr;
    std::uint64_t blocks_ = 0, stride_ = 1, start_ = 0;
    std::atomic<std::uint64_t> next_{0};
    std::atomic<bool> failed_{false};
    std::string failure_;
};

} // namespace

void add_kernel(Kernel& kernel)
{
    kernel.next = first_kernel();
    first_kernel() = &kernel;
}

const Kernel* find_kernel(const std::string& name)
{
    for (const Kernel* kernel = first_kernel(); kernel != nullptr; kernel = kernel->next) {
        if (name == kernel->name) return kernel;
    }
    return nullptr;
}

std::vector<const Kernel*> kernels()
{
    std::vector<const Kernel*> found;
    for (const Kernel* kernel = first_kernel(); kernel != nullptr; kernel = kernel->next) found.push_back(kernel);
    return found;
}

std::string run(const Launch& launch)
{
    // The pool exists until the process ends, and its threads wait for work.
    static Pool* const pool = new Pool;
    return pool->run(launch);
}

} // namespace arcuate_emulation
