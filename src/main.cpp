#include "base/large_pages.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  heddle::allocate_in_large_pages();
  return heddle::cli::main(argc, argv);
}
