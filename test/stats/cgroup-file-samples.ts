/** The cgroup files of the same container, for both cgroup versions. */
export const cgroupFiles = {
  2: {
    'cpu.stat':
      'usage_usec 9\nuser_usec 2000000\nsystem_usec 1000000\nnr_periods 10\nnr_throttled 4\nthrottled_usec 500000\nnr_bursts 1\nburst_usec 250000\n',
    'cpu.max': '50000 100000\n',
    'cpu.weight': '39\n',
    'memory.stat': 'anon 1\nfile 4096\nkernel 512\nfile_mapped 1024\ninactive_file 96\nactive_file 4000\n',
    'memory.peak': '9000\n',
    'memory.events': 'low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\n',
    'memory.max': '1048576\n',
    'memory.min': '0\n',
    'memory.swap.max': 'max\n',
    'cgroup.procs': '10\n11\n',
    'pids.current': '5\n',
    'pids.max': '100\n',
    'io.stat': '8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n',
  },
  1: {
    'cpuacct/c/cpuacct.stat': 'user 200\nsystem 100\n',
    'cpu/c/cpu.stat': 'nr_periods 10\nnr_throttled 4\nthrottled_time 500000000\nnr_bursts 1\nburst_time 250000000\n',
    'cpu/c/cpu.shares': '998\n',
    'cpu/c/cpu.cfs_period_us': '100000\n',
    'cpu/c/cpu.cfs_quota_us': '50000\n',
    'memory/c/memory.stat':
      'cache 1\ntotal_cache 4096\ntotal_mapped_file 1024\ntotal_inactive_file 96\ntotal_active_file 4000\n',
    'memory/c/memory.kmem.usage_in_bytes': '512\n',
    'memory/c/memory.max_usage_in_bytes': '9000\n',
    'memory/c/memory.failcnt': '7\n',
    'memory/c/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
    'memory/c/memory.limit_in_bytes': '1048576\n',
    'memory/c/memory.soft_limit_in_bytes': '0\n',
    'memory/c/memory.memsw.limit_in_bytes': '9223372036854771712\n',
    'memory/c/cgroup.procs': '10\n11\n',
    'pids/c/pids.current': '5\n',
    'pids/c/pids.max': '100\n',
    'blkio/c/blkio.throttle.io_service_bytes_recursive':
      '8:0 Read 4096\n8:0 Write 8192\n8:0 Total 12288\nTotal 12288\n',
    'blkio/c/blkio.throttle.io_serviced_recursive': '8:0 Read 1\n8:0 Write 2\nTotal 3\n',
  },
} as const;

/** The network files of the container's first process. */
export const NETWORK = [
  'Inter-|   Receive                                                |  Transmit',
  ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
  '    lo:       1       9    0    0    0     0          0         0        1       9    0    0    0     0       0          0',
  '  eth0:     100      11    0    1    0     0          0         0      200      22    0    2    0     0       0          0',
].join('\n');

/** A file of cgroup version 2 by its name. */
export const cgroupFileSample = (path: string): string | undefined =>
  path.endsWith('/net/dev') ? NETWORK : Object.entries(cgroupFiles[2]).find(([name]) => path.endsWith(`/${name}`))?.[1];
