// The kernels that Arcuate writes at run time: no kernels.cu has them, so that their names are known here for those who break
// a kernel or let it idle, and for the list of all kernels.

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
