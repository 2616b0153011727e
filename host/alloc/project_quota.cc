// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/project_quota.h"

#include <linux/dqblk_xfs.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace drover {
namespace {

// Since Linux 5.14. Returns an errno, or 0.
int QuotaCall(int directory, unsigned command, std::uint32_t id, void* argument) {
  const long done = syscall(SYS_quotactl_fd, directory, QCMD(command, PRJQUOTA), id, argument);
  return done == 0 ? 0 : errno;
}

// Returns whether a file system answers so that has no projects.
bool HasNone(int error) { return error == ENOTTY || error == EOPNOTSUPP; }

Error Missing(const std::string& what) { return Error(Code::kFailedPrecondition, what); }

class OfKernel : public ProjectQuotas {
 public:
  Status Check(int directory) const override {
    if (geteuid() != 0) return Missing("only root may set quotas");
    fs_quota_stat state{};
    switch (const int error = QuotaCall(directory, Q_XGETQSTAT, 0, &state); error) {
      case 0:
        break;
      case ENOSYS:
        return Missing("the file system or the kernel has no quotas, or they are off");
      case EINVAL:
      case ESRCH:
        return Missing("the file system has no quotas of projects");
      default:
        return ErrnoError(error, "look at the quotas");
    }
    if ((state.qs_flags & FS_QUOTA_PDQ_ACCT) == 0) {
      return Missing("the file system has no quotas of projects");
    }
    if ((state.qs_flags & FS_QUOTA_PDQ_ENFD) == 0) {
      return Missing(
          "the file system counts projects, but does not hold them to a limit: mount it "
          "with prjquota");
    }
    return {};
  }

  Result<FileProject> Of(int file) const override {
    fsxattr attributes{};
    if (ioctl(file, FS_IOC_FSGETXATTR, &attributes) != 0) {
      if (HasNone(errno)) return FileProject();
      return ErrnoError(errno, "look at the project of a file");
    }
    return FileProject{attributes.fsx_projid, (attributes.fsx_xflags & FS_XFLAG_PROJINHERIT) != 0};
  }

  Status Put(int file, FileProject project) const override {
    fsxattr attributes{};
    if (ioctl(file, FS_IOC_FSGETXATTR, &attributes) != 0) {
      return ErrnoError(errno, "look at the project of a file");
    }
    attributes.fsx_projid = project.id;
    attributes.fsx_xflags &= ~static_cast<__u32>(FS_XFLAG_PROJINHERIT);
    if (project.inherited) attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
    if (ioctl(file, FS_IOC_FSSETXATTR, &attributes) == 0) return {};
    return ErrnoError(errno, "set the project of a file");
  }

  Result<ProjectUse> Use(int directory, std::uint32_t id) const override {
    if_dqblk block{};
    const int error = QuotaCall(directory, Q_GETQUOTA, id, &block);
    if (error == ENOENT) return ProjectUse();  // on xfs: no file has ever had this project
    if (error != 0) return ErrnoError(error, "read the quota of project " + std::to_string(id));
    return ProjectUse{static_cast<std::int64_t>(block.dqb_curspace),
                      static_cast<std::int64_t>(block.dqb_curinodes)};
  }

  Status Limit(int directory, std::uint32_t id, std::int64_t bytes) const override {
    if_dqblk block{};
    block.dqb_bhardlimit = static_cast<__u64>(bytes) / QIF_DQBLKSIZE;
    block.dqb_valid = QIF_BLIMITS;
    const int error = QuotaCall(directory, Q_SETQUOTA, id, &block);
    if (error == 0) return {};
    return ErrnoError(error, "set the quota of project " + std::to_string(id));
  }
};

}  // namespace

const ProjectQuotas& KernelProjectQuotas() {
  static const auto& quotas = *new OfKernel;
  return quotas;
}

}  // namespace drover
