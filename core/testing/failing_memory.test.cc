#include "testing/failing_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
#define SABNA_REFUSES_MMAP
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace {

std::atomic<std::int64_t> live{0}, requested{0}, refused_at{0};
std::atomic<bool> armed{false}, sticky{false}, struck_{false};

bool refuses() {
    if (!armed.load(std::memory_order_relaxed)) return false;
    const std::int64_t number = requested.fetch_add(1) + 1, at = refused_at.load();
    if (at == 0 || number < at || (number > at && !sticky.load())) return false;
    struck_.store(true);
    return true;
}

void* take(std::size_t bytes, std::size_t alignment) noexcept {
    if (refuses()) return nullptr;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const block = alignment <= alignof(std::max_align_t)
                            ? std::malloc(bytes ? bytes : 1)
                            : std::aligned_alloc(alignment, rounded ? rounded : alignment);
    if (block) live.fetch_add(1, std::memory_order_relaxed);
    return block;
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const block = take(bytes, alignment);
    if (!block) throw std::bad_alloc();
    return block;
}

void give_back(void* block) noexcept {
    if (block) live.fetch_sub(1, std::memory_order_relaxed);
    std::free(block);
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t bytes) { return take_or_throw(bytes, usual); }
void* operator new[](std::size_t bytes) { return take_or_throw(bytes, usual); }
void* operator new(std::size_t bytes, std::align_val_t a) { return take_or_throw(bytes, std::size_t(a)); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return take_or_throw(bytes, std::size_t(a)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes, usual); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return take(bytes, usual); }
void operator delete(void* block) noexcept { give_back(block); }
void operator delete[](void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t) noexcept { give_back(block); }
void operator delete[](void* block, std::size_t) noexcept { give_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { give_back(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { give_back(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { give_back(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { give_back(block); }

#if defined(SABNA_REFUSES_MMAP)
// The C library maps memory for itself by another name.
extern "C" void* mmap(void* address, std::size_t length, int protection, int flags, int file, off_t offset) noexcept {
    if (refuses()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, file, offset));
}
#endif

namespace sabna::testing {

std::int64_t live_blocks() { return live.load(); }

Refusal::Refusal(std::int64_t k, bool and_all_after) {
    requested = 0, refused_at = k, sticky = and_all_after, struck_ = false;
    armed = true;
}
Refusal::~Refusal() { armed = false; }
std::int64_t Refusal::requests() const { return requested.load(); }
bool Refusal::struck() const { return struck_.load(); }

}  // namespace sabna::testing
