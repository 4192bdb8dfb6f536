#include "memory/dram.h"

#include "memory/dram_channel.h"

namespace heddle::memory {

DramChannel::DramChannel(const DramParameters& parameters, sim::StatisticGroup& parent, const std::string& name,
                         const DramSchedulerSetup& sharing)
    : implementation_(std::make_unique<Implementation>(parameters, parent, name, sharing)) {}
DramChannel::~DramChannel() = default;
sim::StatisticGroup& DramChannel::statistics() { return implementation_->statistics(); }

bool DramChannel::can_accept(bool write) const { return implementation_->can_accept(write); }
bool DramChannel::can_accept(const DramRequest& request) const { return implementation_->can_accept(request); }
void DramChannel::push(const DramRequest& request, DramCycle now) { implementation_->push(request, now); }
bool DramChannel::take_room() { return implementation_->take_room(); }
void DramChannel::tick(DramCycle now, std::vector<std::uint32_t>& done) { implementation_->tick(now, done); }
DramCycle DramChannel::next_event(DramCycle now) const { return implementation_->next_event(now); }

}  // namespace heddle::memory
