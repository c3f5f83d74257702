#include "checkpoints.h"

namespace sabna::bindings {

PythonCheckpoints::PythonCheckpoints(nb::object files, PythonWatch& watch) : files_(std::move(files)), watch_(watch) {
    if (files_.is_none()) return;
    const std::chrono::duration<double> seconds(nb::cast<double>(files_.attr("between")));
    between_ = std::chrono::duration_cast<Clock::duration>(seconds);
}

bool PythonCheckpoints::guarded(const std::function<void()>& call) {
    if (watch_.guarded(call)) return true;
    watch_.watch().halt(Stop::interrupted);
    return false;
}

bool PythonCheckpoints::load(std::vector<Block>& blocks) {
    return guarded([&] {
        held_ = files_.attr("load")();
        for (nb::handle block : held_) {
            const auto words = nb::cast<Array1<std::uint64_t>>(block);
            blocks.push_back({words.data(), words.shape(0)});
        }
    });
}

void PythonCheckpoints::done_with(std::size_t block) {
    guarded([&] { files_.attr("done_with")(block); });
}

bool PythonCheckpoints::due(std::uint64_t bytes) {
    if (Clock::now() < next_) return false;
    next_ = Clock::now() + between_;
    bool is_due = false;
    return guarded([&] { is_due = nb::cast<bool>(files_.attr("due")(bytes)); }) && is_due;
}

bool PythonCheckpoints::keep(const std::vector<Block>& blocks) {
    return guarded([&] {
        using View = nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>>;
        nb::list arrays;
        for (const Block& block : blocks)
            arrays.append(nb::cast(View(block.data(), {block.size()}), nb::rv_policy::reference));
        files_.attr("keep")(arrays);
    });
}

}  // namespace sabna::bindings
