; Inno Setup: the installer for Windows, per user, without administrator rights.  Not run so far.
;   iscc /DVersion=0.1.0 packaging\windows\depthscope.iss        after `python packaging\build.py bundle`
#ifndef Version
  #error Say /DVersion=...
#endif

[Setup]
AppId={{6A2B7C0E-5F43-4B7E-9C3D-2E8B51D0A7F4}
AppName=Depthscope
AppVersion={#Version}
AppPublisher=Depthscope contributors
DefaultDirName={autopf}\Depthscope
DefaultGroupName=Depthscope
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
LicenseFile=..\..\LICENSE
SetupIconFile=..\..\build\made\icons\depthscope.ico
UninstallDisplayIcon={app}\Depthscope.exe
OutputDir=..\..\dist
OutputBaseFilename=depthscope-{#Version}-windows-x64-setup
Compression=lzma2
SolidCompression=yes
ChangesAssociations=yes
WizardStyle=modern

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "ko"; MessagesFile: "compiler:Languages\Korean.isl"

[Files]
Source: "..\..\dist\depthscope\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\Depthscope"; Filename: "{app}\Depthscope.exe"

; Windows knows the last part of a file's name alone: *.safetensors offers the program and keeps its owner.
[Registry]
Root: HKA; Subkey: "Software\Classes\Depthscope.Trace"; ValueType: string; ValueData: "Recorded Universal Transformer run"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Depthscope.Trace\DefaultIcon"; ValueType: string; ValueData: "{app}\Depthscope.exe,0"
Root: HKA; Subkey: "Software\Classes\Depthscope.Trace\shell\open\command"; ValueType: string; ValueData: """{app}\Depthscope.exe"" open ""%1"""
Root: HKA; Subkey: "Software\Classes\.safetensors\OpenWithProgids"; ValueType: string; ValueName: "Depthscope.Trace"; ValueData: ""; Flags: uninsdeletevalue

[Run]
Filename: "{app}\Depthscope.exe"; Flags: nowait postinstall skipifsilent; Description: "{cm:LaunchProgram,Depthscope}"
