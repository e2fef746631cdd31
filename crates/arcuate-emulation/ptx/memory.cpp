// Loads, stores and atomic operations, with more checks than on a GPU: each access must be within an
// allocation that the device may use, or within an array.

#include "lanes.h"

#include <algorithm>
#include <cstdio>
#include <type_traits>

namespace arcuate_emulation::ptx {

Span Memory::span(std::uint64_t address, std::uint64_t bytes) const
{
    const auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                        [](std::uint64_t at, const Allocated& one) { return at < one.start; });
    if (after == allocations_.begin()) return {};
    const Allocated& found = *(after - 1);
    const Span span{found.start, found.bytes >= bytes ? found.bytes - bytes + 1 : 0};
    return span.has(address) ? span : Span{};
}

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class Access { read, write, change };

const char* name_of(Access access)
{
    switch (access) {
    case Access::read: return "reads ";
    case Access::write: return "writes ";
    default: return "changes ";
    }
}

std::string hexadecimal(u64 number)
{
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
    return text;
}

const char* where(Space space)
{
    switch (space) {
    case Space::global: return "an allocation that the device may use";
    case Space::constant: return "an array of constants";
    case Space::shared: return "the block's shared memory";
    default: return "an array of the thread's";
    }
}

// The addresses of an access, with their address space.
template <Space SPACE>
class Addresses {
public:
    using Address = std::conditional_t<SPACE == Space::global, u64, u32>;

    // `bytes` is the size of the whole vector, a power of two.
    Addresses(const Instruction& instruction, Warp& warp, unsigned bytes)
        : instruction_(instruction), warp_(warp), addresses_(row<Address>(warp, instruction.a)),
          offset_(static_cast<Address>(instruction.offset)), bytes_(bytes)
    {
    }

    Address address(unsigned lane) const { return addresses_.get(lane) + offset_; }

    auto place(unsigned lane) const
    {
        if constexpr (SPACE == Space::constant) return warp_.block->program->constants.data() + (address(lane) - constant_start);
        else if constexpr (SPACE == Space::global) return reinterpret_cast<unsigned char*>(address(lane));
        else if constexpr (SPACE == Space::shared) return warp_.block->shared.data() + (address(lane) - shared_start);
        else return warp_.local + std::size_t(lane) * warp_.block->program->local_bytes + (address(lane) - local_start);
    }

    // Returns true if the addresses of all lanes are valid. Reports an invalid address.
    bool check(Mask lanes, Access access) const
    {
        Mask outside = 0;
        if constexpr (SPACE == Space::global) outside = outside_allocations(lanes);
        else if constexpr (SPACE == Space::constant) outside = ~inside(constant_start, places(warp_.block->program->constants.size()));
        else if constexpr (SPACE == Space::shared) outside = ~inside(shared_start, places(warp_.block->shared.size()));
        else outside = outside_arrays();
        const Mask wrong = (outside | crooked()) & lanes;
        if (wrong == 0) return true;
        const auto lane = static_cast<unsigned>(__builtin_ctz(wrong));
        const std::string why = has(outside, lane) ? std::string(", which are not within ") + where(SPACE)
                                                   : ", which is no multiple of their number";
        warp_.block->fail(lane, name_of(access) + std::to_string(bytes_) + (bytes_ == 1 ? " byte at " : " bytes at ") + hexadecimal(address(lane)) + why);
        return false;
    }

private:
    Address places(std::size_t bytes) const { return static_cast<Address>(bytes >= bytes_ ? bytes - bytes_ + 1 : 0); }

    Mask inside(Address start, Address count) const
    {
        Mask lanes = 0;
        for (unsigned lane = 0; lane < warp_lanes; ++lane) lanes |= Mask(address(lane) - start < count) << lane;
        return lanes;
    }

    Mask crooked() const
    {
        Address low_bits = 0;
        for (unsigned lane = 0; lane < warp_lanes; ++lane) low_bits |= address(lane);
        if ((low_bits & (bytes_ - 1)) == 0) return 0;
        Mask lanes = 0;
        for (unsigned lane = 0; lane < warp_lanes; ++lane) lanes |= Mask((address(lane) & (bytes_ - 1)) != 0) << lane;
        return lanes;
    }

    // Returns the lanes with addresses outside all allocations. Most accesses of an instruction go to the
    // allocation that it used last, which is tested first.
    Mask outside_allocations(Mask lanes) const
    {
        BlockState& block = *warp_.block;
        Span& span = block.spans[static_cast<std::size_t>(&instruction_ - block.program->code.data())];
        Mask outside = ~inside(span.start, span.places) & lanes;
        each_lane(outside, [&](unsigned lane) {
            const Span found = block.memory->span(address(lane), bytes_);
            if (found.places == 0) return;
            span = found;
            outside &= ~(Mask(1) << lane);
        });
        return outside;
    }

    Mask outside_arrays() const
    {
        Mask outside = all_lanes;
        for (const Array& array : warp_.block->program->local_arrays) outside &= ~inside(array.address, places(array.bytes));
        return outside;
    }

    const Instruction& instruction_;
    Warp& warp_;
    const Row<Address> addresses_;
    const Address offset_;
    const unsigned bytes_;
};

// Calls `use(lane, place)` for each lane if all accesses are valid.
template <Space SPACE, Access ACCESS, unsigned BYTES, class Use>
void each_place(const Instruction& instruction, Warp& warp, Mask lanes, Use use)
{
    const Addresses<SPACE> addresses(instruction, warp, BYTES);
    if (!addresses.check(lanes, ACCESS)) return;
    if (lanes == all_lanes) {
        for (unsigned lane = 0; lane < warp_lanes; ++lane) use(lane, addresses.place(lane));
    } else {
        each_lane(lanes, [&](unsigned lane) { use(lane, addresses.place(lane)); });
    }
}

template <class T>
T value_at(const unsigned char* place)
{
    T value;
    std::memcpy(&value, place, sizeof value);
    return value;
}

// `InMemory` is the loaded type, `Register` the type of its register. Narrow types have registers of one
// word.
template <Space SPACE, class InMemory, class Register, unsigned COUNT>
void load(const Instruction& instruction, Warp& warp, Mask lanes)
{
    Row<Register> results[COUNT] = {row<Register>(warp, 2 * instruction.result)};
    const Operand* more = warp.block->program->more.data() + instruction.more;
    for (unsigned at = 1; at < COUNT; ++at) results[at] = row<Register>(warp, more[at - 1]);
    each_place<SPACE, Access::read, COUNT * sizeof(InMemory)>(instruction, warp, lanes, [&](unsigned lane, const unsigned char* place) {
        for (unsigned at = 0; at < COUNT; ++at) {
            results[at].set(lane, static_cast<Register>(value_at<InMemory>(place + at * sizeof(InMemory))));
        }
    });
    for (unsigned at = 1; at < COUNT; ++at) warp.written[more[at - 1] / 2] |= lanes;
}

template <Space SPACE, class InMemory, class Register, unsigned COUNT>
void store(const Instruction& instruction, Warp& warp, Mask lanes)
{
    Row<Register> values[COUNT] = {row<Register>(warp, instruction.b)};
    const Operand* more = warp.block->program->more.data() + instruction.more;
    for (unsigned at = 1; at < COUNT; ++at) {
        values[at] = row<Register>(warp, more[at - 1]);
        const Mask missing = lanes & ~warp.has_written(more[at - 1]);
        if (missing != 0) return warp.block->fail_unwritten(missing, more[at - 1]);
    }
    each_place<SPACE, Access::write, COUNT * sizeof(InMemory)>(instruction, warp, lanes, [&](unsigned lane, unsigned char* place) {
        for (unsigned at = 0; at < COUNT; ++at) {
            const auto value = static_cast<InMemory>(values[at].get(lane));
            std::memcpy(place + at * sizeof value, &value, sizeof value);
        }
    });
}

// Functions that compute the new value of an atomic operation from the value `old`.
template <class T> T sum(T old, T value, T) { return old + value; }
template <class T> T exchanged(T old, T compare, T value) { return old == compare ? value : old; }

template <Space SPACE, class T, T (*UPDATE)(T, T, T), bool ANSWERS>
void change(const Instruction& instruction, Warp& warp, Mask lanes)
{
    const Row<T> b = row<T>(warp, instruction.b), c = row<T>(warp, instruction.c), result = row<T>(warp, 2 * instruction.result);
    const auto change_one = [&](unsigned lane, unsigned char* bytes) {
        T* place = reinterpret_cast<T*>(bytes);
        T old;
        __atomic_load(place, &old, __ATOMIC_RELAXED);
        for (;;) {
            T now = UPDATE(old, b.get(lane), c.get(lane));
            if (__atomic_compare_exchange(place, &old, &now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
        }
        if (ANSWERS) result.set(lane, old);
    };
    // Hardware processes lanes in any order.
    const unsigned first = static_cast<unsigned>(warp.block->order.below(warp_lanes));
    const Mask later = all_lanes << first;
    each_place<SPACE, Access::change, sizeof(T)>(instruction, warp, lanes & later, change_one);
    if (warp.block->failure.empty()) each_place<SPACE, Access::change, sizeof(T)>(instruction, warp, lanes & ~later, change_one);
}

void parameter(const Instruction& instruction, Warp& warp, Mask lanes, unsigned bytes)
{
    const unsigned char* from = warp.block->parameters.data() + instruction.offset;
    auto* out = reinterpret_cast<unsigned char*>(warp.words(2 * instruction.result));
    each_lane(lanes, [&](unsigned lane) { std::memcpy(out + std::size_t(lane) * bytes, from, bytes); });
}
void parameter_of_4(const Instruction& instruction, Warp& warp, Mask lanes) { parameter(instruction, warp, lanes, 4); }
void parameter_of_8(const Instruction& instruction, Warp& warp, Mask lanes) { parameter(instruction, warp, lanes, 8); }

std::string name_of(Space space)
{
    switch (space) {
    case Space::global: return ".global";
    case Space::constant: return ".const";
    case Space::shared: return ".shared";
    default: return ".local";
    }
}

Form memory_form(Shape shape, Kind kind, Space space, Type type, Operation operation)
{
    Form form;
    form.shape = shape;
    form.kind = kind;
    form.space = space;
    form.operation = operation;
    if (shape == Shape::load || shape == Shape::atomic) form.result = type;
    form.operands[0] = space == Space::global ? Type::u64 : Type::u32;
    form.operands[1] = form.operands[2] = type;
    form.operand_count = shape == Shape::load ? 1 : 2;
    return form;
}

template <Space SPACE, class InMemory, class Register, unsigned COUNT>
void add_loads(Forms& forms, const std::string& name, Type type)
{
    const std::string vector = COUNT == 1 ? "" : ".v" + std::to_string(COUNT);
    Form form = memory_form(Shape::load, Kind::memory, SPACE, type, load<SPACE, InMemory, Register, COUNT>);
    form.count = COUNT;
    forms["ld" + name_of(SPACE) + vector + name] = form;
    // The interpreter caches no values, so volatile loads need no special treatment.
    forms["ld.volatile" + name_of(SPACE) + vector + name] = form;
    // ld.global.nc loads memory that no thread writes during the kernel.
    if (SPACE == Space::global) forms["ld.global.nc" + vector + name] = form;
    if constexpr (SPACE != Space::constant) {
        form = memory_form(Shape::store, Kind::memory, SPACE, type, store<SPACE, InMemory, Register, COUNT>);
        form.count = COUNT;
        forms["st" + name_of(SPACE) + vector + name] = form;
    }
}

template <Space SPACE, class T, T (*UPDATE)(T, T, T)>
void add_atomic(Forms& forms, const std::string& name, Type type, unsigned char operands)
{
    Form form = memory_form(Shape::atomic, Kind::atomic, SPACE, type, change<SPACE, T, UPDATE, true>);
    form.operand_count = operands;
    forms["atom" + name_of(SPACE) + name] = form;
    form = memory_form(Shape::reduction, Kind::atomic, SPACE, type, change<SPACE, T, UPDATE, false>);
    form.operand_count = operands;
    if (operands == 2) forms["red" + name_of(SPACE) + name] = form;
}

template <Space SPACE>
void add_forms_of(Forms& forms)
{
    add_loads<SPACE, std::uint8_t, u32, 1>(forms, ".u8", Type::u32);
    add_loads<SPACE, std::int8_t, std::int32_t, 1>(forms, ".s8", Type::s32);
    add_loads<SPACE, std::uint16_t, u32, 1>(forms, ".u16", Type::u32);
    add_loads<SPACE, std::int16_t, std::int32_t, 1>(forms, ".s16", Type::s32);
    const auto add_words = [&](const std::string& name, Type type) {
        add_loads<SPACE, u32, u32, 1>(forms, name, type);
        add_loads<SPACE, u32, u32, 2>(forms, name, type);
        add_loads<SPACE, u32, u32, 4>(forms, name, type);
    };
    add_words(".b32", Type::b32);
    add_words(".u32", Type::u32);
    add_words(".s32", Type::s32);
    add_words(".f32", Type::f32);
    const auto add_double_words = [&](const std::string& name, Type type) {
        add_loads<SPACE, u64, u64, 1>(forms, name, type);
        add_loads<SPACE, u64, u64, 2>(forms, name, type);
    };
    add_double_words(".b64", Type::b64);
    add_double_words(".u64", Type::u64);
    add_double_words(".s64", Type::s64);
    add_double_words(".f64", Type::f64);
    if constexpr (SPACE == Space::global || SPACE == Space::shared) {
        add_atomic<SPACE, u32, sum>(forms, ".add.u32", Type::u32, 2);
        add_atomic<SPACE, u64, sum>(forms, ".add.u64", Type::u64, 2);
        add_atomic<SPACE, float, sum>(forms, ".add.f32", Type::f32, 2);
        add_atomic<SPACE, u32, exchanged>(forms, ".cas.b32", Type::b32, 3);
    }
}

} // namespace

void add_memory_forms(Forms& forms)
{
    add_forms_of<Space::global>(forms);
    add_forms_of<Space::constant>(forms);
    add_forms_of<Space::shared>(forms);
    add_forms_of<Space::local>(forms);
    for (const Type type : {Type::b32, Type::u32, Type::s32, Type::f32, Type::b64, Type::u64, Type::s64, Type::f64}) {
        Form form;
        form.shape = Shape::parameter;
        form.result = type;
        form.operation = bytes_of(type) == 4 ? parameter_of_4 : parameter_of_8;
        const char* names[] = {".b32", ".u32", ".s32", ".f32", ".b64", ".u64", ".s64", ".f64"};
        forms[std::string("ld.param") + names[static_cast<int>(type) - static_cast<int>(Type::b32)]] = form;
    }
}

} // namespace arcuate_emulation::ptx
