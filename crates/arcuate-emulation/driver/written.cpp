// Names of the kernels that Arcuate writes at run time. No kernels.cu contains these kernels. The names are
// needed to break kernels, to make them idle, and to list all kernels.

#include "driver.h"

#include <algorithm>

namespace arcuate_emulation {
namespace {

constexpr const char* written[] = {
#include "written_kernels.inc"
};

} // namespace

std::vector<NamedKernel> named_kernels()
{
    std::vector<NamedKernel> all;
    for (const Kernel* kernel : kernels()) all.push_back({kernel->name, kernel->file});
    for (const char* name : written) all.push_back({name, ptx::written_at_run_time});
    return all;
}

bool is_kernel(const std::string& name)
{
    const std::vector<NamedKernel> all = named_kernels();
    return std::any_of(all.begin(), all.end(), [&](const NamedKernel& one) { return one.name == name; });
}

} // namespace arcuate_emulation
