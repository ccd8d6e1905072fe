// Prints what SimGrid makes of a platform: hosts, and routes between all of them.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <simgrid/s4u.hpp>
#include <vector>

int main(int argc, char** argv)
{
  simgrid::s4u::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  engine.seal_platform();
  std::vector<simgrid::s4u::Host*> hosts = engine.get_all_hosts();
  for (auto* host : hosts)
    std::printf("host\t%s\t%.17g\t%s\n", host->get_cname(), host->get_speed() * host->get_core_count(),
                host->get_englobing_zone()->get_cname());
  for (size_t from = 0; from < hosts.size(); from++)
    for (size_t to = 0; to < hosts.size(); to++) {
      if (from == to)
        continue;
      std::vector<simgrid::s4u::Link*> links;
      double unused = 0.0;
      hosts[from]->route_to(hosts[to], links, &unused);
      double bandwidth = std::numeric_limits<double>::infinity();
      double latency = 0.0;
      for (auto* link : links) {
        bandwidth = std::min(bandwidth, link->get_bandwidth());
        latency += link->get_latency();
      }
      std::printf("route\t%zu\t%zu\t%.17g\t%.17g\n", from, to, bandwidth, latency);
    }
  return 0;
}
