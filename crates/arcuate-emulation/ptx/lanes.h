// Applies a function of numbers to all lanes of a warp with vector instructions.
#pragma once

#include "forms.h"
#include "warp.h"

#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace arcuate_emulation::ptx {

// The values of a register with the type of an instruction. memcpy is used because registers have no type of
// their own.
template <class T>
struct Row {
    std::uint32_t* words;

    T get(unsigned lane) const
    {
        T value;
        std::memcpy(&value, reinterpret_cast<const char*>(words) + lane * sizeof(T), sizeof value);
        return value;
    }
    void set(unsigned lane, T value) const
    {
        std::memcpy(reinterpret_cast<char*>(words) + lane * sizeof(T), &value, sizeof value);
    }
};

// A row of a predicate, read only.
template <>
struct Row<bool> {
    Mask bits;

    explicit Row(const std::uint32_t* words) : bits(*words) {}
    bool get(unsigned lane) const { return (bits >> lane & 1) != 0; }
};

template <class T>
Row<T> row(const Warp& warp, Operand operand)
{
    return Row<T>{warp.words(operand)};
}

inline bool has(Mask lanes, unsigned lane) { return (lanes >> lane & 1) != 0; }

// Calls `work` for each lane in order.
template <class Work>
inline void each_lane(Mask lanes, Work work)
{
    for (; lanes != 0; lanes &= lanes - 1) work(static_cast<unsigned>(__builtin_ctz(lanes)));
}

template <class T> constexpr Type type_of = Type::none;
template <> constexpr Type type_of<bool> = Type::pred;
template <> constexpr Type type_of<std::uint32_t> = Type::u32;
template <> constexpr Type type_of<std::int32_t> = Type::s32;
template <> constexpr Type type_of<float> = Type::f32;
template <> constexpr Type type_of<std::uint64_t> = Type::u64;
template <> constexpr Type type_of<std::int64_t> = Type::s64;
template <> constexpr Type type_of<double> = Type::f64;

template <auto FUNCTION>
struct OnLanes;

template <class Result, class... Arguments, Result (*FUNCTION)(Arguments...)>
struct OnLanes<FUNCTION> {
    template <std::size_t... AT>
    static void spread(const Instruction& instruction, Warp& warp, Mask lanes, std::index_sequence<AT...>)
    {
        const Operand operands[] = {instruction.a, instruction.b, instruction.c};
        const auto rows = std::make_tuple(row<Arguments>(warp, operands[AT])...);
        std::uint32_t* const out = warp.words(2 * instruction.result);
        if constexpr (std::is_same_v<Result, bool>) {
            Mask holds = 0;
            for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                holds |= Mask(FUNCTION(std::get<AT>(rows).get(lane)...)) << lane;
            }
            *out = (*out & ~lanes) | (holds & lanes);
        } else {
            const Row<Result> results{out};
            // An input row either is the output row or does not overlap it. The compiler cannot know this, so
            // the pragma states it.
            if (lanes == all_lanes) {
#pragma GCC ivdep
                for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                    results.set(lane, FUNCTION(std::get<AT>(rows).get(lane)...));
                }
            } else {
                // All lanes are computed, because this is faster than a condition for each lane.
#pragma GCC ivdep
                for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                    const Result now = FUNCTION(std::get<AT>(rows).get(lane)...), before = results.get(lane);
                    results.set(lane, has(lanes, lane) ? now : before);
                }
            }
        }
    }

    static void run(const Instruction& instruction, Warp& warp, Mask lanes)
    {
        spread(instruction, warp, lanes, std::index_sequence_for<Arguments...>{});
    }

    static Form form()
    {
        Form form;
        form.operation = run;
        form.result = type_of<Result>;
        form.operand_count = sizeof...(Arguments);
        std::size_t at = 0;
        ((form.operands[at++] = type_of<Arguments>), ...);
        return form;
    }
};

} // namespace arcuate_emulation::ptx
