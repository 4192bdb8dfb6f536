// TLB-fill tokens (MASK, ASPLOS 2018, section 5.2): only warps that have a token fill the shared TLB; translations of
// the others go to a small bypass cache that is looked up beside it.
//
// Each application has a number of tokens, which adapts at the end of every epoch to what became of its miss rate. They
// are spread evenly over the SMs that it uses, and go to the lowest warp numbers there (catalogue: token_scope).
// Whether a warp has one is asked when the walk has ended (token_sampling), and one of the warps that wait for it is
// enough (merged_miss_fill). An application's first epoch with accesses fills without tokens. A request carries the
// warp of its SM that missed first; those that joined it there are not known here.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sim/statistic.h"
#include "vm/tlb_fill_policy.h"

namespace heddle::vm {
namespace {

class Tokens final : public TlbFillPolicy {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<double> initial{
        *this, "initial", 0.8, {0, 1}, "part", "Tokens after an application's first epoch, of its warps (section 6)."};
    sim::Parameter<double> step{*this,  "step", 0.1,
                                {0, 1}, "part", "By how much the number of tokens changes at once, of the warps."};
    sim::Parameter<unsigned> floor{*this,   "floor",  1,
                                   {0, 64}, "tokens", "Fewest tokens of an application for each SM that it uses."};
    sim::Parameter<double> threshold{
        *this,  "threshold", 0.02,
        {0, 1}, "part",      "The miss rate must change by more than this for the tokens to change (section 5.2)."};
    sim::Choice change{*this,
                       "change",
                       "points",
                       {"points", "relative"},
                       "How the threshold is meant: as a difference of the rates, or of the rate before."};
    sim::Choice rule{*this,
                     "rule",
                     "text",
                     {"text", "hill-climb", "opposite"},
                     "More misses mean fewer tokens; or go on as long as misses fall and turn round when they rise; or "
                     "more misses mean more tokens."};
    TlbParameters bypass{*this, "bypass", "The bypass cache; its lookup is part of the TLB's.", 32};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter filled{*this, "filled", "walks", "Translations that entered the TLB."};
    sim::Counter bypassed{*this, "bypassed", "walks", "Translations that entered the bypass cache only."};
    sim::Counter bypass_hits{*this, "bypass_hits", "misses", "Found in the bypass cache and not in the TLB."};
    sim::Counter bypass_misses{*this, "bypass_misses", "misses", "Found in neither."};
    sim::Counter epochs{*this, "epochs", "epochs", "Epochs that ended."};
  };
  struct OfApplication : sim::StatisticGroup {
    OfApplication(sim::StatisticGroup& parent, const std::string& name) : StatisticGroup(parent, name) {}
    sim::Counter filled{*this, "filled", "walks", "Its translations that entered the TLB."};
    sim::Counter bypassed{*this, "bypassed", "walks", "Its translations that entered the bypass cache only."};
    sim::Counter bypass_hits{*this, "bypass_hits", "misses", "Found in the bypass cache."};
    sim::Counter raised{*this, "raised", "times", "Times that it got more tokens."};
    sim::Counter lowered{*this, "lowered", "times", "Times that it got fewer."};
    sim::Counter tokens{*this, "tokens", "tokens", "Its tokens, summed over the epochs in which it had a number."};
    sim::Counter warps{*this, "warps", "warps", "Its warps that used memory, summed over the same epochs."};
  };

  Tokens(const sim::Context& context, const TlbFillSetup& setup)
      : p_(context.parameters<Parameters>()),
        statistics_(context),
        board_(setup.board),
        bypass_((p_.bypass.check(), p_.bypass)),
        applications_(setup.applications) {
    if (board_ != nullptr) board_->use();
    for (unsigned a = 0; a < setup.applications; ++a)
      applications_[a].statistics = std::make_unique<OfApplication>(statistics_, "application_" + std::to_string(a));
  }

  [[nodiscard]] std::optional<Mapping> find(SpaceId space, VirtPage page) override {
    if (const auto hit = bypass_.exists() ? bypass_.find(space, page) : std::nullopt) {
      ++statistics_.bypass_hits;
      ++applications_[space].statistics->bypass_hits;
      return hit->mapping;
    }
    ++statistics_.bypass_misses;
    return std::nullopt;
  }
  void looked_up(const TranslationRequest& request, bool hit) override {
    adapt();
    ++applications_[request.space].accesses;
    applications_[request.space].misses += hit ? 0 : 1;
  }
  [[nodiscard]] bool admit(std::span<const TranslationRequest> requests, const Mapping& mapping) override {
    adapt();
    const SpaceId space = requests.front().space;
    const Application& application = applications_[space];
    const bool fills =
        !application.limited || std::any_of(requests.begin(), requests.end(), [&](const TranslationRequest& request) {
          return request.warp < application.per_sm[request.sm];
        });
    ++(fills ? statistics_.filled : statistics_.bypassed);
    ++(fills ? application.statistics->filled : application.statistics->bypassed);
    if (!fills) (void)bypass_.insert(space, mapping, 0);
    return fills;
  }
  void flush() override { bypass_.flush(); }
  void flush(SpaceId space) override { bypass_.flush(space); }
  void flush(SpaceId space, VirtPage page) override { bypass_.flush(space, page); }

 private:
  struct Application {
    std::unique_ptr<OfApplication> statistics;
    std::uint64_t accesses = 0;  ///< in this epoch
    std::uint64_t misses = 0;
    double rate = 0;       ///< of misses, in the last epoch that had accesses
    bool limited = false;  ///< it has a number of tokens
    bool rising = false;   ///< the last change
    unsigned tokens = 0;
    std::vector<unsigned> per_sm;  ///< warps with smaller numbers have tokens
  };

  /// If an epoch has ended: each application by itself. One that did not come here keeps what it has (epoch_trigger).
  void adapt() {
    if (board_ == nullptr || board_->epochs() == epoch_) return;
    statistics_.epochs += board_->epochs() - epoch_;
    epoch_ = board_->epochs();
    for (unsigned a = 0; a < applications_.size(); ++a) {
      Application& application = applications_[a];
      if (application.accesses == 0) continue;
      adapt(a, application);
      application.accesses = application.misses = 0;
    }
  }
  void adapt(unsigned number, Application& application) {
    unsigned warps = 0;
    std::vector<unsigned> sms;
    for (unsigned s = 0; s < board_->size().sms; ++s) {
      if (board_->warps(number, s) == 0) continue;
      warps += board_->warps(number, s);
      sms.push_back(s);
    }
    if (warps == 0) return;
    const double rate = static_cast<double>(application.misses) / static_cast<double>(application.accesses);
    if (application.limited) {
      change(application, rate, warps);
    } else {
      application.tokens = static_cast<unsigned>(std::lround(p_.initial * warps));
    }
    application.limited = true;
    application.rate = rate;
    const auto least = static_cast<unsigned>(p_.floor * sms.size());
    application.tokens = std::clamp(application.tokens, std::min(least, warps), warps);
    application.statistics->tokens += application.tokens;
    application.statistics->warps += warps;
    const auto count = static_cast<unsigned>(sms.size());
    application.per_sm.assign(board_->size().sms, application.tokens / count);
    for (unsigned i = 0; i < application.tokens % count; ++i) ++application.per_sm[sms[i]];
  }
  void change(Application& application, double rate, unsigned warps) const {
    double by = rate - application.rate;
    if (p_.change.is("relative")) by = application.rate == 0 ? (rate == 0 ? 0 : 1) : by / application.rate;
    if (std::abs(by) <= p_.threshold) return;
    const bool worse = by > 0;
    application.rising = p_.rule.is("text") ? !worse : p_.rule.is("opposite") ? worse : application.rising != worse;
    const auto step = std::max(1u, static_cast<unsigned>(std::ceil(p_.step * warps)));
    if (application.rising) {
      application.tokens += step;
      ++application.statistics->raised;
    } else {
      application.tokens -= std::min(step, application.tokens);
      ++application.statistics->lowered;
    }
  }

  const Parameters& p_;
  Statistics statistics_;
  memory::SharingBoard* board_;
  Tlb bypass_;
  std::vector<Application> applications_;
  std::uint64_t epoch_ = 0;
};

[[maybe_unused]] const bool kRegisteredTokens = TlbFillPolicies::instance().add<Tokens>(
    "tokens", "Translations of warps with tokens enter the TLB, others a small cache beside it.");

}  // namespace
}  // namespace heddle::vm
