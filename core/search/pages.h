// Memory straight from the system: zeroed, and given back at once when it is let go, so that what was reserved with a
// Watch is what the process holds. The heap may keep what is freed between blocks that live; with it a search was seen to
// end 3 % above its memory limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace sabna {

class Pages {
  public:
    static constexpr std::size_t huge_page = std::size_t{1} << 21;

    Pages() = default;
    Pages(Pages&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Pages& operator=(Pages&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Pages() { release(); }

    // Holds nothing if the system refuses. `huge`: aligned to a huge page, and to be backed by them.
    static Pages allocate(std::size_t bytes, bool huge) {
        Pages pages;
#if defined(__linux__)
        const std::size_t spare = huge ? huge_page : 0;
        void* const mapped = mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) return pages;
        char* begin = static_cast<char*>(mapped);
        if (huge) {
            const std::size_t lead = (huge_page - reinterpret_cast<std::uintptr_t>(begin) % huge_page) % huge_page;
            if (lead) munmap(begin, lead);
            if (spare - lead) munmap(begin + lead + bytes, spare - lead);
            begin += lead;
            madvise(begin, bytes, MADV_HUGEPAGE);
        }
        pages.data_ = begin;
#else
        (void)huge;
        pages.data_ = std::calloc(bytes, 1);
        if (!pages.data_) return pages;
#endif
        pages.bytes_ = bytes;
        return pages;
    }

    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    explicit operator bool() const { return data_ != nullptr; }

  private:
    void release() {
#if defined(__linux__)
        if (data_) munmap(data_, bytes_);
#else
        std::free(data_);
#endif
    }

    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

// The pages that hold this part of a mapped file, which no one has written to, go back to the system; whoever reads there
// again has them read again.
inline void give_back(const void* begin, std::size_t bytes) {
#if defined(__linux__)
    constexpr std::uintptr_t page = 4096;
    const auto at = reinterpret_cast<std::uintptr_t>(begin), first = at / page * page;
    madvise(reinterpret_cast<void*>(first), at - first + bytes, MADV_DONTNEED);
#else
    (void)begin, (void)bytes;
#endif
}

}  // namespace sabna
