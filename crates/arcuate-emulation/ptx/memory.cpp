// Loads, stores and atomic operations, with the checks that a GPU makes and more: each access lies within an allocation
// that the device may use, or within an array.

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

void fail(Warp& warp, unsigned lane, Access access, u64 address, unsigned bytes, const std::string& why)
{
    warp.block->fail(lane, name_of(access) + std::to_string(bytes) + " bytes at " + hexadecimal(address) + why);
}

// Calls `use(lane, place)` for each lane until an access is wrong. `bytes`, of the whole vector, is a power of two.
template <Space SPACE, Access ACCESS, class Use>
void each_place(const Instruction& instruction, Warp& warp, Mask lanes, unsigned bytes, Use use)
{
    BlockState& block = *warp.block;
    const auto wrong = [&](unsigned lane, u64 address, const char* why) {
        if (block.failure.empty()) {
            fail(warp, lane, ACCESS, address, bytes, address % bytes != 0 ? ", which is no multiple of its size" : why);
        }
    };
    if constexpr (SPACE == Space::global) {
        const Row<u64> addresses = row<u64>(warp, instruction.a);
        Span& span = block.spans[static_cast<std::size_t>(&instruction - block.program->code.data())];
        each_lane(lanes, [&](unsigned lane) {
            const u64 address = addresses.get(lane) + static_cast<u64>(instruction.offset);
            if (!span.has(address) || address % bytes != 0) {
                span = block.memory->span(address, bytes);
                if (span.places == 0 || address % bytes != 0) {
                    return wrong(lane, address, ", which is not within an allocation that the device may use");
                }
            }
            use(lane, reinterpret_cast<unsigned char*>(address));
        });
    } else {
        const Row<u32> addresses = row<u32>(warp, instruction.a);
        const u32 local_bytes = block.program->local_bytes;
        each_lane(lanes, [&](unsigned lane) {
            const u32 address = addresses.get(lane) + static_cast<u32>(instruction.offset);
            unsigned char* place = nullptr;
            if (SPACE == Space::shared) {
                const u64 offset = u64(address) - shared_start;
                if (offset + bytes > block.shared.size() || offset > block.shared.size()) {
                    return wrong(lane, address, ", which is not within the block's shared memory");
                }
                place = block.shared.data() + offset;
            } else {
                for (const Array& array : block.program->local_arrays) {
                    if (address - array.address < array.bytes && bytes <= array.bytes - (address - array.address)) {
                        place = warp.local + std::size_t(lane) * local_bytes + (address - local_start);
                    }
                }
                if (place == nullptr) return wrong(lane, address, ", which is not within an array of the thread's");
            }
            if (address % bytes != 0) return wrong(lane, address, "");
            use(lane, place);
        });
    }
}

template <class T>
T value_at(const unsigned char* place)
{
    T value;
    std::memcpy(&value, place, sizeof value);
    return value;
}

// `Memory` is what is loaded, `Register` what keeps it: a word for all that is narrower.
template <Space SPACE, class InMemory, class Register, unsigned COUNT>
void load(const Instruction& instruction, Warp& warp, Mask lanes)
{
    Row<Register> results[COUNT] = {row<Register>(warp, 2 * instruction.result)};
    const Operand* more = warp.block->program->more.data() + instruction.more;
    for (unsigned at = 1; at < COUNT; ++at) results[at] = row<Register>(warp, more[at - 1]);
    each_place<SPACE, Access::read>(instruction, warp, lanes, COUNT * sizeof(InMemory), [&](unsigned lane, const unsigned char* place) {
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
    each_place<SPACE, Access::write>(instruction, warp, lanes, COUNT * sizeof(InMemory), [&](unsigned lane, unsigned char* place) {
        for (unsigned at = 0; at < COUNT; ++at) {
            const auto value = static_cast<InMemory>(values[at].get(lane));
            std::memcpy(place + at * sizeof value, &value, sizeof value);
        }
    });
}

// What an atomic operation leaves where it found `old`.
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
    // Hardware takes lanes in any order.
    const unsigned first = static_cast<unsigned>(warp.block->order.below(warp_lanes));
    const Mask later = all_lanes << first;
    each_place<SPACE, Access::change>(instruction, warp, lanes & later, sizeof(T), change_one);
    each_place<SPACE, Access::change>(instruction, warp, lanes & ~later, sizeof(T), change_one);
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
    // Memory that nobody writes while the kernel runs.
    if (SPACE == Space::global) forms["ld.global.nc" + vector + name] = form;
    form = memory_form(Shape::store, Kind::memory, SPACE, type, store<SPACE, InMemory, Register, COUNT>);
    form.count = COUNT;
    forms["st" + name_of(SPACE) + vector + name] = form;
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
    if constexpr (SPACE != Space::local) {
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
