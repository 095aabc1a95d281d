class Vaultd < Formula
  desc "MCP server for Obsidian vaults"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "MIT"

  # Built, but not yet tried by us on a real Mac.
  on_macos do
    url "@REPOSITORY@/releases/download/v@VERSION@/vaultd-@VERSION@-macos-universal.tar.gz"
    sha256 "@SHA256(vaultd-@VERSION@-macos-universal.tar.gz)@"
  end

  on_linux do
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/vaultd-@VERSION@-linux-x86_64.tar.gz"
      sha256 "@SHA256(vaultd-@VERSION@-linux-x86_64.tar.gz)@"
    end
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/vaultd-@VERSION@-linux-aarch64.tar.gz"
      sha256 "@SHA256(vaultd-@VERSION@-linux-aarch64.tar.gz)@"
    end
  end

  def install
    bin.install "bin/vaultd"
    share.install Dir["share/*"]
  end

  test do
    (testpath/"notes/Home.md").write "rain barrel\n"
    assert_match "Home.md", shell_output("#{bin}/vaultd search -v #{testpath}/notes barrel")
  end
end
