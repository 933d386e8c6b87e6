// Command headers reads the headers of programs for Windows and macOS, which cannot run where a release is
// made, and says what they hold. It fails if a program is for another system, needs a library that the
// system does not have, or has a code signature that does not fit its bytes. It does not check signatures by
// a certificate.
//
//	headers windows-amd64=relais.exe darwin-arm64=relais
package main

import (
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"os"
	"strings"
)

func main() {
	for _, arg := range os.Args[1:] {
		system, path, _ := strings.Cut(arg, "=")
		says, err := check(system, path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "headers: %s: %v\n", path, err)
			os.Exit(1)
		}
		fmt.Printf("%s: %s\n", system, says)
	}
}

// check says what a program for a system holds.
func check(system, path string) (string, error) {
	switch system {
	case "windows-amd64":
		return checkPE(path)
	case "darwin-arm64":
		return checkMachO(path, macho.CpuArm64)
	case "darwin-amd64":
		return checkMachO(path, macho.CpuAmd64)
	}
	return "", fmt.Errorf("system %q is not known", system)
}

// Of the PE format.
const (
	consoleProgram = 3
	anyAddress     = 0x40  // the program may be loaded anywhere
	dataNotRun     = 0x100 // data is not executed
)

func checkPE(path string) (string, error) {
	f, err := pe.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok || f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 || h.Subsystem != consoleProgram {
		return "", errors.New("is not a console program for amd64")
	}
	if f.TimeDateStamp != 0 {
		return "", errors.New("has the time of its build")
	}
	if h.DllCharacteristics&anyAddress == 0 || h.DllCharacteristics&dataNotRun == 0 {
		return "", errors.New("is loaded at a fixed address, or runs data")
	}
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return "", err
	}
	for _, s := range symbols { // as in ExitProcess:kernel32.dll
		if _, library, _ := strings.Cut(s, ":"); !strings.EqualFold(library, "kernel32.dll") {
			return "", fmt.Errorf("is linked with %s", library)
		}
	}
	return "a console program, linked with kernel32.dll alone", nil
}

// Of the Mach-O format. Package macho knows few load commands.
const (
	buildVersion  = 0x32 // LC_BUILD_VERSION
	codeSignature = 0x1d // LC_CODE_SIGNATURE
)

func checkMachO(path string, cpu macho.Cpu) (string, error) {
	f, err := macho.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if f.Cpu != cpu || f.Type != macho.TypeExec {
		return "", fmt.Errorf("is for %s, and of type %s", f.Cpu, f.Type)
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return "", err
	}
	for _, l := range libraries {
		if !strings.HasPrefix(l, "/usr/lib/") && !strings.HasPrefix(l, "/System/") {
			return "", fmt.Errorf("is linked with %s", l)
		}
	}
	oldest, signature := "", "no code signature"
	for _, l := range f.Loads {
		raw := l.Raw()
		word := func(i int) uint32 { return f.ByteOrder.Uint32(raw[4*i:]) }
		switch word(0) {
		case buildVersion:
			oldest = fmt.Sprintf("%d.%d", word(3)>>16, word(3)>>8&0xff)
		case codeSignature:
			if signature, err = checkSignature(path, word(2), word(3)); err != nil {
				return "", err
			}
		}
	}
	if cpu == macho.CpuArm64 && signature == "no code signature" {
		return "", errors.New("has no code signature: macOS would not start it")
	}
	return fmt.Sprintf("macOS %s or newer, linked with %s, %s", oldest, strings.Join(libraries, ", "), signature), nil
}
