// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace drover {

template <auto Free>
struct OpenSslFreed {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

// The certificate authority of one test, and the certificates that it has signed, as files.
class TlsAuthority {
  using Key = std::unique_ptr<EVP_PKEY, OpenSslFreed<EVP_PKEY_free>>;
  using Certificate = std::unique_ptr<X509, OpenSslFreed<X509_free>>;

 public:
  TlsAuthority() : directory_("/tmp/drover-http-tls-" + std::to_string(getpid())) {
    std::filesystem::create_directory(directory_);
    key_ = NewKey();
    certificate_ = Sign("the authority", key_.get(), key_.get(), nullptr);
    WriteCertificate("ca", certificate_.get());
  }
  ~TlsAuthority() { std::filesystem::remove_all(directory_); }

  // Makes the files NAME.pem and NAME.key. HOSTS, such as "IP:127.0.0.1,DNS:localhost", are those
  // that the certificate is for.
  void Issue(const std::string& name, const std::string& hosts = "") {
    const Key key = NewKey();
    const Certificate certificate = Sign(name, key.get(), key_.get(), certificate_.get(), hosts);
    WriteCertificate(name, certificate.get());
    std::FILE* file = std::fopen(Path(name + ".key").c_str(), "w");
    PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
  }
  std::string Path(const std::string& file) const { return directory_ + "/" + file; }

 private:
  static Key NewKey() { return Key(EVP_EC_gen("P-256")); }
  static Certificate Sign(const std::string& name, EVP_PKEY* key, EVP_PKEY* signer, X509* issuer,
                          const std::string& hosts = "") {
    Certificate certificate(X509_new());
    X509* x = certificate.get();
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), issuer ? 2 : 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key);
    X509_NAME* subject = X509_get_subject_name(x);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(x, issuer ? X509_get_subject_name(issuer) : subject);
    if (!issuer) Extend(x, NID_basic_constraints, "critical,CA:TRUE");
    if (!hosts.empty()) Extend(x, NID_subject_alt_name, hosts);
    EXPECT_GT(X509_sign(x, signer, EVP_sha256()), 0);
    return certificate;
  }
  static void Extend(X509* certificate, int kind, const std::string& value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  void WriteCertificate(const std::string& name, X509* certificate) {
    std::FILE* file = std::fopen(Path(name + ".pem").c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
  }

  std::string directory_;
  Key key_;
  Certificate certificate_;
};

}  // namespace drover
