#include "cudart/interrupts.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <thread>
#include <utility>

namespace heddle::cudart {
namespace {

std::atomic<bool> interrupted{false};
std::array<int, 2> waker{-1, -1};
pid_t watched_process = 0;

void give_up_handling(int signal) {
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void on_interrupt(int signal) {
  if (getpid() != watched_process || interrupted.exchange(true)) return give_up_handling(signal);
  const char word = 1;
  if (write(waker[1], &word, 1) != 1) give_up_handling(signal);
}

void wait_for_interrupt(const std::function<void()>& end) {
  char word = 0;
  if (read(waker[0], &word, 1) == 1) end();
}

}  // namespace

bool interrupt_requested() { return interrupted; }

void watch_interrupts(std::function<void()> end) {
  struct sigaction old {};
  sigaction(SIGINT, nullptr, &old);
  const bool is_default = (old.sa_flags & SA_SIGINFO) == 0 && old.sa_handler == SIG_DFL;
  if (!is_default || watched_process != 0 || pipe(waker.data()) != 0) return;
  watched_process = getpid();
  // The thread takes no signals: the program's own threads expect theirs.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([end = std::move(end)] { wait_for_interrupt(end); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace heddle::cudart
