// Streams and events.
//
// Work is done at the latest when its result is required (by a synchronisation or a copy to ordinary memory).
// A seeded order may do it at any earlier time. A program that forgets to wait therefore sees memory that is
// not yet written. In the natural order (seed 0) work is done at once.

#include "driver.h"

namespace arcuate_emulation {
namespace {

// Maximum length of a queue in a seeded order. It limits the memory of a program that never waits.
constexpr std::size_t longest_queue = 256;

// Does the first piece of work of a stream.
void step(Stream& stream)
{
    const std::shared_ptr<Work> work = stream.queue.front();
    for (const auto& before : work->after) {
        if (!before->done) drain(*before->stream, before.get());
    }
    work->after.clear();
    Device& device = *stream.device;
    if (device.broken == success) {
        if (const Result result = work->run()) device.broken = result;
    }
    work->run = nullptr;
    work->done = true;
    work->finished = std::chrono::steady_clock::now();
    stream.queue.pop_front();
}

std::vector<Stream*> streams_of(Device& device)
{
    std::vector<Stream*> found{&device.null_stream};
    for (const auto& [handle, stream] : driver().streams.all()) {
        if (stream->device == &device) found.push_back(handle);
    }
    return found;
}

// In the natural order, does all work of `newest`. In a seeded order, sometimes does work of a randomly
// chosen stream.
void advance(Stream& newest)
{
    Driver& all = driver();
    if (all.order.natural()) {
        drain(newest);
        return;
    }
    if (newest.queue.size() > longest_queue) step(newest);
    if (all.order.below(3) != 1) return;
    std::vector<Stream*> waiting;
    for (const auto& device : all.devices) {
        for (Stream* stream : streams_of(*device)) {
            if (!stream->queue.empty()) waiting.push_back(stream);
        }
    }
    if (waiting.empty()) return;
    Stream& chosen = *waiting[all.order.below(waiting.size())];
    for (std::uint64_t steps = 1 + all.order.below(4); steps > 0 && !chosen.queue.empty(); --steps) step(chosen);
}

Event* event_of(void* handle)
{
    auto* event = static_cast<Event*>(handle);
    return driver().events.has(event) ? event : nullptr;
}

Result make_stream(void** handle, unsigned flags)
{
    ARCUATE_ENTER;
    if (handle == nullptr || flags > 1) return invalid_value;
    auto stream = std::make_unique<Stream>();
    stream->device = entry.device;
    stream->blocking = flags == 0;
    *handle = driver().streams.add(std::move(stream));
    return success;
}

} // namespace

Stream* stream_of(void* handle, Device* current)
{
    // 1 is the handle of the null stream and 2 that of each thread's default stream. Here they are one
    // stream.
    if (reinterpret_cast<std::uintptr_t>(handle) <= 2) return &current->null_stream;
    auto* stream = static_cast<Stream*>(handle);
    return driver().streams.has(stream) ? stream : nullptr;
}

Result enqueue(Stream& stream, std::function<Result()> run, std::shared_ptr<Work>* made)
{
    auto work = std::make_shared<Work>();
    work->run = std::move(run);
    work->stream = &stream;
    Stream& null_stream = stream.device->null_stream;
    const auto follow = [&](const Stream& other) {
        if (&other != &stream && other.last != nullptr && !other.last->done) work->after.push_back(other.last);
    };
    if (&stream == &null_stream) {
        for (Stream* other : streams_of(*stream.device)) {
            if (other->blocking) follow(*other);
        }
    } else if (stream.blocking) {
        follow(null_stream);
    }
    stream.queue.push_back(work);
    stream.last = work;
    if (made != nullptr) *made = work;
    advance(stream);
    return success;
}

void drain(Stream& stream, const Work* work)
{
    while (!stream.queue.empty() && (work == nullptr || !work->done)) step(stream);
}

void drain_device(Device& device)
{
    std::vector<Stream*> streams = streams_of(device);
    while (!streams.empty()) {
        const auto chosen = streams.begin() + static_cast<std::ptrdiff_t>(driver().order.below(streams.size()));
        if ((*chosen)->queue.empty()) streams.erase(chosen);
        else step(**chosen);
    }
}

} // namespace arcuate_emulation

using namespace arcuate_emulation;

ARCUATE_EXPORT Result cuStreamCreate(void** handle, unsigned flags) { return make_stream(handle, flags); }

ARCUATE_EXPORT Result cuStreamCreateWithPriority(void** handle, unsigned flags, int) { return make_stream(handle, flags); }

ARCUATE_EXPORT Result cuStreamDestroy_v2(void* handle)
{
    ARCUATE_ENTER;
    auto* stream = static_cast<Stream*>(handle);
    if (!driver().streams.has(stream)) return invalid_handle;
    drain(*stream);
    driver().streams.remove(stream);
    return success;
}

ARCUATE_EXPORT Result cuStreamSynchronize(void* handle)
{
    ARCUATE_ENTER;
    Stream* stream = stream_of(handle, entry.device);
    if (stream == nullptr) return invalid_handle;
    drain(*stream);
    return stream->device->broken;
}

ARCUATE_EXPORT Result cuStreamQuery(void* handle)
{
    ARCUATE_ENTER;
    Stream* stream = stream_of(handle, entry.device);
    if (stream == nullptr) return invalid_handle;
    if (stream->queue.empty()) return success;
    step(*stream); // Each query does one piece of work, so that repeated queries end.
    return stream->device->broken != success ? stream->device->broken : not_ready;
}

ARCUATE_EXPORT Result cuStreamGetCtx(void* handle, Device** context)
{
    ARCUATE_ENTER;
    const Stream* stream = stream_of(handle, entry.device);
    if (stream == nullptr) return invalid_handle;
    *context = stream->device;
    return success;
}

ARCUATE_EXPORT Result cuStreamWaitEvent(void* handle, void* event_handle, unsigned flags)
{
    ARCUATE_ENTER;
    Stream* stream = stream_of(handle, entry.device);
    const Event* event = event_of(event_handle);
    if (stream == nullptr || event == nullptr) return invalid_handle;
    if (flags > 1) return invalid_value;
    if (event->recorded == nullptr || event->recorded->done) return success;
    // An empty piece of work waits for the event. Later work of the stream waits for this piece of work.
    auto work = std::make_shared<Work>();
    work->run = [] { return success; };
    work->stream = stream;
    work->after = {event->recorded};
    stream->queue.push_back(work);
    stream->last = work;
    return success;
}

ARCUATE_EXPORT Result cuLaunchHostFunc(void* handle, void (*function)(void*), void* data)
{
    ARCUATE_ENTER;
    Stream* stream = stream_of(handle, entry.device);
    if (stream == nullptr) return invalid_handle;
    if (function == nullptr) return invalid_value;
    return enqueue(*stream, [=]() -> Result {
        function(data);
        return success;
    });
}

ARCUATE_EXPORT Result cuEventCreate(void** handle, unsigned flags)
{
    ARCUATE_ENTER;
    if (handle == nullptr || flags > 7) return invalid_value;
    auto event = std::make_unique<Event>();
    event->device = entry.device;
    event->timed = (flags & 2) == 0;
    *handle = driver().events.add(std::move(event));
    return success;
}

ARCUATE_EXPORT Result cuEventDestroy_v2(void* handle)
{
    ARCUATE_ENTER;
    Event* event = event_of(handle);
    if (event == nullptr) return invalid_handle;
    driver().events.remove(event);
    return success;
}

ARCUATE_EXPORT Result cuEventRecord(void* handle, void* stream_handle)
{
    ARCUATE_ENTER;
    Event* event = event_of(handle);
    Stream* stream = stream_of(stream_handle, entry.device);
    if (event == nullptr || stream == nullptr || event->device != stream->device) return invalid_handle;
    return enqueue(*stream, [] { return success; }, &event->recorded);
}

ARCUATE_EXPORT Result cuEventSynchronize(void* handle)
{
    ARCUATE_ENTER;
    const Event* event = event_of(handle);
    if (event == nullptr) return invalid_handle;
    const std::shared_ptr<Work> work = event->recorded;
    if (work != nullptr && !work->done) drain(*work->stream, work.get());
    return event->device->broken;
}

ARCUATE_EXPORT Result cuEventQuery(void* handle)
{
    ARCUATE_ENTER;
    const Event* event = event_of(handle);
    if (event == nullptr) return invalid_handle;
    if (event->recorded == nullptr || event->recorded->done) return success;
    step(*event->recorded->stream);
    return event->device->broken != success ? event->device->broken : not_ready;
}

ARCUATE_EXPORT Result cuEventElapsedTime(float* milliseconds, void* start_handle, void* end_handle)
{
    ARCUATE_ENTER;
    const Event *start = event_of(start_handle), *end = event_of(end_handle);
    if (milliseconds == nullptr) return invalid_value;
    if (start == nullptr || end == nullptr || !start->timed || !end->timed) return invalid_handle;
    if (start->recorded == nullptr || end->recorded == nullptr) return invalid_handle;
    if (!start->recorded->done || !end->recorded->done) return not_ready;
    *milliseconds =
        std::chrono::duration<float, std::milli>(end->recorded->finished - start->recorded->finished).count();
    return success;
}
