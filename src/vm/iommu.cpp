// The IOMMU of a baseline SoC (Yoon et al., section 3 and Table 1): misses of the SMs' TLBs come over the interconnect,
// half of `mmu.latency` each way, and are translated by a TLB that all share and by a walker that reads memory.
#include "base/check.h"
#include "vm/iommu_pipeline.h"

namespace heddle::vm {
namespace {

using sim::Cycle;

class Iommu final : public SharedTranslation {
 public:
  using Parameters = IommuParameters;
  Iommu(const sim::Context& context, const Setup& setup)
      : SharedTranslation(setup),
        setup_(setup),
        statistics_(setup.statistics, setup.applications),
        pipeline_({setup, context.parameters<Parameters>(), statistics_, nullptr}) {}

  void receive() override {
    input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
    wake_by(setup_.messages.requests().collect(input_));
    wake_by(pipeline_.collect());
  }

  void run(Cycle begin, Cycle end) override {
    clock_ = std::max(clock_, begin);
    while (clock_ < end) {
      step(clock_);
      ++clock_;
      wake_ = pipeline_.next(clock_);
      if (head_ < input_.size()) wake_by(std::max(input_[head_].arrival, clock_));
      clock_ = std::min(wake_, end);
    }
    reports_ = !faults_.empty();
  }

  void flush() override {
    ++epoch_;
    pipeline_.flush();
  }
  void entry_written(std::uint64_t address) override { pipeline_.entry_written(address); }
  void retry(WalkJob job, Cycle now) override {
    pipeline_.retry(job, now);
    wake_by(now);
  }
  [[nodiscard]] std::string describe() const override { return pipeline_.describe(); }

 private:
  void step(Cycle now) {
    for (; head_ < input_.size() && input_[head_].arrival <= now; ++head_) {
      const TranslationRequest& request = input_[head_];
      pipeline_.add({request.page, request.space, request.warp, request.sm, request.token, request.missed_at}, now);
    }
    done_.clear();
    pipeline_.step(now, done_, faults_);
    for (const IommuPipeline::Result& result : done_) {
      setup_.messages.answers(result.job.sm)
          .send({result.mapping, result.job.token, epoch_, result.walked, now + setup_.parameters.latency / 2});
    }
  }

  Setup setup_;
  IommuStatistics statistics_;
  IommuPipeline pipeline_;
  std::vector<TranslationRequest> input_;
  std::size_t head_ = 0;
  std::vector<IommuPipeline::Result> done_;
  Cycle clock_ = 0;
  std::uint32_t epoch_ = 0;  ///< flushes so far
};

[[maybe_unused]] const bool kIommuRegistered = SharedTranslations::instance().add<Iommu>(
    "iommu", "A shared TLB that takes so many lookups per cycle, and a walker that reads memory beside the L2.");

}  // namespace
}  // namespace heddle::vm
